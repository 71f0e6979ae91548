package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/a-seed-11b9befa/flow/internal/ci"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// inGitHub reports whether flow runs in a job of GitHub Actions.
func (p *program) inGitHub() bool { return p.env("GITHUB_ACTIONS") == "true" }

// writeReports writes what the CI system is told of a run that has ended.
func (s *session) writeReports(r *runner.Result) error {
	if len(s.reports) == 0 && !s.inGitHub() {
		return nil
	}
	report := &ci.Report{Result: r, Outcome: view.Outcome(r.Status, view.Shortfalls(r)), Folder: s.folderName(), Hide: s.mask.String}
	var errs []error
	var err error
	workspace := s.host.Linked().Workspace()
	if report.Findings, err = ci.FindingsOf(r, workspace, cmp.Or(paths.Repository(workspace), workspace)); err != nil {
		errs = append(errs, err)
	}
	if s.inGitHub() {
		errs = append(errs, report.WriteAnnotations(s.job()))
	}
	for _, f := range s.reports {
		if err := f.to(func(w io.Writer) error { return f.write(report, w) }); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.flag, err))
		}
	}
	return errors.Join(errs...)
}

// beginJob has GitHub hide the secrets in the job's log, and fold what is told of
// the run there.
func (s *session) beginJob(secrets []string) error {
	if !s.inGitHub() {
		return nil
	}
	to := s.job()
	if err := ci.WriteMasks(to, secrets); err != nil {
		return err
	}
	_, err := fmt.Fprintf(to, "::group::flow run %s\n", term.Visible(s.workflow.Name))
	return err
}

// job is where commands for GitHub go: past the screen, which breaks commands and
// hides what they are to hide, once all that it was given is written.
func (s *session) job() io.Writer {
	s.stderr.Flush()
	return os.Stderr
}

// endJob ends what is folded.
func (s *session) endJob() {
	if s.inGitHub() {
		fmt.Fprintln(s.job(), "::endgroup::")
	}
}
