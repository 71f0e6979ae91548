package session

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/ci"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A File is written beside the run. The zero File is none.
type File struct {
	Name string // what errors call it
	Path string
}

// A Report is a file with a report of the run in a format of a CI system.
type Report struct {
	File
	Write func(*ci.Report, io.Writer) error
	to    *term.LateFile
}

// Open opens the file: see [term.OpenLate].
func (f File) Open(ctx context.Context) (*term.LateFile, error) { return openAs(ctx, f, term.OpenLate) }

// openAs opens a file. Its error has the name of the file.
func openAs[T any](ctx context.Context, f File, open func(ctx context.Context, name string) (T, error)) (file T, err error) {
	if f.Path == "-" {
		return file, steps.Invalid("for standard output, write /dev/stdout", "%s -: expected the name of a file", f.Name)
	}
	file, err = open(ctx, f.Path)
	if err != nil && ctx.Err() == nil {
		err = steps.Invalid("", "%s: %v", f.Name, err)
	}
	return file, err
}

// CheckTargets refuses to write over what the run is made of, and two outputs in one file.
func (o *Options) CheckTargets() error {
	sources := append(o.Host.Loaded.Files(o.Host.Model, o.Host.Inputs), o.Host.Loaded.ScriptFile(o.Host.Model))
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
			return steps.Invalid("name another file for "+target.Name, "%s would overwrite %s, which the run reads", target.Name, target.Path)
		}
		for _, other := range targets[:i] {
			if same(other.Path) {
				return steps.Invalid("name another file for "+target.Name, "%s and %s would both write %s", other.Name, target.Name, target.Path)
			}
		}
	}
	return nil
}

// openFiles opens the files beside the run before anything runs, so that one that can't be
// written is an error at once.
func (s *Session) openFiles(ctx context.Context) error {
	for i := range s.reports {
		file, err := s.reports[i].Open(ctx)
		if err != nil {
			return err
		}
		s.reports[i].to = file
		s.closers = append(s.closers, file.Close)
	}
	return s.openEvents(ctx)
}

// openEvents opens the stream of events. The run ends if they can't be written any more.
func (s *Session) openEvents(ctx context.Context) error {
	switch s.Events.Path {
	case "":
	case "-":
		s.stream = runner.NewStream(s.harmless(), s.Host.Mask)
	default:
		file, err := openAs(ctx, s.Events, term.OpenFile)
		if err != nil {
			return err
		}
		s.stream = runner.NewStream(file, s.Host.Mask)
		s.closers = append(s.closers, func() error { return named(s.Events.Name, file.Close()) })
	}
	return nil
}

// addReports notes the files that the session writes at the end of the run. Models must not write them:
// their reports could be forged.
func (s *Session) addReports(all ...Report) {
	for _, r := range all {
		if r.Path != "" {
			s.reports = append(s.reports, r)
			s.Host.Protected = append(s.Host.Protected, r.Path)
		}
	}
}

// publish writes the reports of a result.
func (s *Session) publish(result *runner.Result) error {
	shown := func() (string, error) {
		past, err := view.ReadPast(s.host.Dir())
		if err != nil {
			return "", err
		}
		return report.Run(past, s.dir()), nil
	}
	r := &ci.Report{Result: result, Shown: shown, Hide: s.Host.Mask.String}
	r.ReadFindings(s.host.Linked().Workspace())
	errs := []error{s.ci.Publish(r)}
	for _, file := range s.reports {
		errs = append(errs, named(file.Name, file.to.Replace(func(w io.Writer) error { return file.Write(r, w) })))
	}
	return errors.Join(errs...)
}
