package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// sources are the files that a run is made of.
type sources []string

// read reads one more of them.
func (s *sources) read(path string) ([]byte, error) {
	*s = append(*s, path)
	return readSource(path)
}

// addGiven adds those that the command line names.
func (s *sources) addGiven(f *runFlags, w *workflows.Workflow) {
	if f.inputsFile != "" && f.inputsFile != "-" {
		*s = append(*s, f.inputsFile)
	}
	if name, ok := strings.CutPrefix(f.model, scriptProvider+"/"); ok {
		*s = append(*s, absolute(w.Dir, filepath.FromSlash(name)))
	}
	for _, w := range used(w) {
		for _, step := range leaves(w.Steps) {
			s.addInstructions(step, w)
		}
	}
}

// addInstructions adds the files of an agent's instructions, as far as they are
// known before anything runs.
func (s *sources) addInstructions(step *workflows.Step, w *workflows.Workflow) {
	if step.Agent == nil {
		return
	}
	for _, file := range step.Agent.Instructions {
		if path, known := file.Static(); known {
			*s = append(*s, absolute(w.Dir, filepath.FromSlash(path)))
		}
	}
}

// checkTargets refuses to write over what the run is made of, and two outputs in
// one file.
func (s sources) checkTargets(f *runFlags) error {
	targets := []struct{ flag, path string }{{"--record", f.record}, {"--events", f.events}, {"--run-dir", f.runDir}}
	for i, target := range targets {
		if target.path == "" || target.path == "-" && target.flag == "--events" {
			continue
		}
		for _, source := range s {
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
