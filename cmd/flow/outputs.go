package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/ci"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/signals"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

// sources are the files that a run is made of, those that the command line names
// among them.
func (f *runFlags) sources(w *host.Loaded) []string {
	files := w.Files()
	if f.inputs.file != "" && f.inputs.file != "-" {
		files = append(files, f.inputs.file)
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
			if paths.Same(target.path, source) {
				return usage("name another file", "%s %s: the run is made of that file", target.flag, target.path)
			}
		}
		for _, other := range targets[:i] {
			if other.path != "" && paths.Same(target.path, other.path) {
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

// A reportFile is a file that a CI system reads, open from before the run.
type reportFile struct {
	flag  string
	to    func(write func(io.Writer) error) error
	write func(*ci.Report, io.Writer) error
}

// openLate opens the file of a flag for what comes of a run.
func openLate(ctx context.Context, flag, path string) (*term.LateFile, error) {
	if path == "-" {
		return nil, usage("standard output is /dev/stdout", "%s -: the name of a file was expected", flag)
	}
	file, err := term.OpenLate(ctx, path)
	var interrupted *signals.Interruption
	if err != nil && !errors.As(err, &interrupted) {
		err = usage("", "%s: %v", flag, err)
	}
	return file, err
}

// open opens the files that the command line names. A file that can't be
// written is found before anything runs.
func (s *session) open(ctx context.Context) error {
	for _, open := range []func(context.Context) error{s.openRecord, s.openReports, s.openEvents} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	if s.flags.logLevel.value != "off" {
		s.log = report.NewLogger(s.stderr, s.flags.logLevel.value, s.flags.logJSON)
	}
	return nil
}

// atEnd has something closed when the session is; an error names the flag.
func (s *session) atEnd(flag string, close func() error) {
	s.closers = append(s.closers, func() error {
		if err := close(); err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
		return nil
	})
}

func (s *session) openRecord(ctx context.Context) (err error) {
	if s.recorder == nil {
		return nil
	}
	if s.recordTo, err = openLate(ctx, "--record", s.flags.record); err == nil {
		s.atEnd("--record", s.recordTo.Close)
	}
	return err
}

// writeRecord writes what was recorded.
func (s *session) writeRecord() error {
	if s.recorder == nil {
		return nil
	}
	err := s.recordTo.Replace(func(w io.Writer) error {
		masked := s.mask.Writer(w)
		_, err := s.recorder.WriteTo(masked)
		return errors.Join(err, masked.Close())
	})
	if err != nil {
		return fmt.Errorf("--record: %w", err)
	}
	return nil
}

// openReports opens the files of --junit, --sarif and --summary, and the summary
// of a step of GitHub Actions.
func (s *session) openReports(ctx context.Context) error {
	sarif := func(r *ci.Report, w io.Writer) error { return r.WriteSARIF(w, version()) }
	for _, f := range []struct {
		flag, path string
		write      func(*ci.Report, io.Writer) error
	}{
		{"--junit", s.flags.junit, (*ci.Report).WriteJUnit}, {"--sarif", s.flags.sarif, sarif}, {"--summary", s.flags.summary, (*ci.Report).WriteSummary},
	} {
		if f.path == "" {
			continue
		}
		file, err := openLate(ctx, f.flag, f.path)
		if err != nil {
			return err
		}
		s.atEnd(f.flag, file.Close)
		s.reports = append(s.reports, reportFile{f.flag, file.Replace, f.write})
	}
	const step = "GITHUB_STEP_SUMMARY"
	if path := s.env(step); path != "" && s.inGitHub() {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			s.say(fmt.Sprintf("warning: there will be no summary: %s: %v", step, err), "")
			return nil
		}
		s.atEnd(step, file.Close)
		s.reports = append(s.reports, reportFile{step, func(write func(io.Writer) error) error { return write(file) }, (*ci.Report).WriteSummary})
	}
	return nil
}

// openEvents opens where the events of --events go: "-" is standard output. Once they
// can't be written any more the run ends.
func (s *session) openEvents(ctx context.Context) error {
	if s.flags.events == "" {
		return nil
	}
	to, closeFile := term.JSONOutput(s.stdout, s.env), func() error { return nil }
	if s.flags.events != "-" {
		file, err := openLate(ctx, "--events", s.flags.events)
		if err != nil {
			return err
		}
		to, closeFile = file, file.Close
	}
	out := term.NewOutlet(ctx, to)
	out.Broke = s.eventsBroke
	s.stream = runner.NewStream(out, s.mask)
	s.atEnd("--events", out.Close)
	s.atEnd("--events", closeFile)
	return nil
}
