package main

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/host"
)

// sources are the files that a run is made of, those that the command line names
// among them.
func (f *runFlags) sources(w *host.Loaded) []string {
	files := w.Files()
	if f.inputsFile != "" && f.inputsFile != "-" {
		files = append(files, f.inputsFile)
	}
	if script := w.ScriptFile(f.model); script != "" {
		files = append(files, script)
	}
	return files
}

// checkTargets refuses to write over what the run is made of, and two outputs in
// one file.
func (f *runFlags) checkTargets(w *host.Loaded) error {
	sources := f.sources(w)
	targets := []struct{ flag, path string }{{"--record", f.record}, {"--events", f.events}, {"--run-dir", f.runDir},
		{"--junit", f.junit}, {"--sarif", f.sarif}, {"--summary", f.summary}}
	for i, target := range targets {
		if target.path == "" || target.path == "-" && target.flag == "--events" {
			continue
		}
		for _, source := range sources {
			if sameFile(target.path, source) {
				return usage("name another file", "%s %s: the run is made of that file", target.flag, target.path)
			}
		}
		for _, other := range targets[:i] {
			if other.path != "" && sameFile(target.path, other.path) {
				return usage("name another file", "%s %s: that is the file of %s", target.flag, target.path, other.flag)
			}
		}
	}
	return nil
}

// written are the files that this run writes for others: what a model may write is no
// report of what it did.
func (f *runFlags) written() []string {
	files := []string{f.record, f.events, f.junit, f.sarif, f.summary}
	return slices.DeleteFunc(files, func(path string) bool { return path == "" || path == "-" })
}

// sameFile reports whether two paths lead to one file, or would.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	absA, errA := filepath.Abs(a)
	absB, errB := filepath.Abs(b)
	return errA == nil && errB == nil && absA == absB
}
