package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/signals"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Open opens the file: see [term.OpenLate].
func (f File) Open(ctx context.Context) (*term.LateFile, error) {
	if f.Path == "-" {
		return nil, steps.Invalid("for standard output, write /dev/stdout", "%s -: expected the name of a file", f.Name)
	}
	file, err := term.OpenLate(ctx, f.Path)
	var interrupted *signals.Interruption
	if err != nil && !errors.As(err, &interrupted) {
		err = steps.Invalid("", "%s: %v", f.Name, err)
	}
	return file, err
}

// checkTargets refuses to write over what the run is made of, and two outputs in one file.
func (o *Options) checkTargets() error {
	sources := append(o.Host.Loaded.Files(), o.Host.Loaded.ScriptFile(o.Host.Model))
	if o.Inputs != "-" {
		sources = append(sources, o.Inputs)
	}
	targets := []File{o.Record, o.Events, {"--run-dir", o.Host.Dir}}
	for _, r := range o.Reports {
		targets = append(targets, r.File)
	}
	for i, target := range targets {
		if target.Path == "" || target == o.Events && target.Path == "-" {
			continue
		}
		same := func(path string) bool { return path != "" && paths.Same(target.Path, path) }
		if slices.ContainsFunc(sources, same) {
			return steps.Invalid("name another file", "%s %s: the run reads this file", target.Name, target.Path)
		}
		for _, other := range targets[:i] {
			if same(other.Path) {
				return steps.Invalid("name another file", "%s %s: %s writes the same file", target.Name, target.Path, other.Name)
			}
		}
	}
	return nil
}

// written returns the files that the session writes at the end of the run. Models must not
// write them: their reports could be forged.
func (s *Session) written() []string {
	files := []string{s.Record.Path}
	for _, r := range s.Reports {
		files = append(files, r.Path)
	}
	return slices.DeleteFunc(files, func(path string) bool { return path == "" })
}

// openFiles opens the files beside the run before anything runs, so that one that can't be
// written is an error at once.
func (s *Session) openFiles(ctx context.Context) (err error) {
	if s.recorder != nil {
		if s.recordTo, err = s.open(ctx, s.Record); err != nil {
			return err
		}
	}
	for _, r := range s.Reports {
		if r.Path == "" {
			continue
		}
		file, err := s.open(ctx, r.File)
		if err != nil {
			return err
		}
		s.ci.Add(r.Name, r.Write, file.Replace)
	}
	if err := s.ci.OpenSummary(s.Env); err != nil {
		s.Say("warning: " + err.Error())
	}
	s.closers = append(s.closers, s.ci.Close)
	return s.openEvents(ctx)
}

// open opens a file, and closes it with the session.
func (s *Session) open(ctx context.Context, f File) (*term.LateFile, error) {
	file, err := f.Open(ctx)
	if err == nil {
		s.atEnd(f.Name, file.Close)
	}
	return file, err
}

// atEnd adds a function that closes something with the session. Its error begins with the name.
func (s *Session) atEnd(name string, close func() error) {
	s.closers = append(s.closers, func() error { return named(name, close()) })
}

func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// openEvents opens the stream of events. The run ends if they can't be written any more.
func (s *Session) openEvents(ctx context.Context) error {
	if s.Events.Path == "" {
		return nil
	}
	to, closeFile := term.JSONOutput(s.Stdout, s.Env), func() error { return nil }
	if s.Events.Path != "-" {
		file, err := s.Events.Open(ctx)
		if err != nil {
			return err
		}
		to, closeFile = file, file.Close
	}
	s.stream = runner.NewStream(to, s.Host.Mask)
	s.atEnd(s.Events.Name, closeFile)
	return nil
}

// writeRecord writes the recorded answers as a script.
func (s *Session) writeRecord() error {
	if s.recorder == nil {
		return nil
	}
	return named(s.Record.Name, s.recordTo.Replace(func(w io.Writer) error {
		_, err := s.recorder.WriteTo(w) // which masks each text itself
		return err
	}))
}
