package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/a-seed-11b9befa/flow/internal/ci"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
)

// A reportFile is a file that a CI system reads, open from before the run: what
// a run has cost is not to be lost because it can't be written in the end.
type reportFile struct {
	flag  string
	file  *os.File
	adds  bool // to what is in the file
	write func(*ci.Report, io.Writer) error
}

// inGitHub reports whether flow runs in a job of GitHub Actions.
func (p *program) inGitHub() bool { return p.env("GITHUB_ACTIONS") == "true" }

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
		file, err := openForWriting(ctx, f.path)
		if err != nil {
			return usage("", "%s: %v", f.flag, err)
		}
		s.addReport(reportFile{flag: f.flag, file: file, write: f.write})
	}
	if path := s.env("GITHUB_STEP_SUMMARY"); path != "" && s.inGitHub() {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			s.say(fmt.Sprintf("warning: there will be no summary: GITHUB_STEP_SUMMARY: %v", err), "")
			return nil
		}
		s.addReport(reportFile{flag: "GITHUB_STEP_SUMMARY", file: file, adds: true, write: (*ci.Report).WriteSummary})
	}
	return nil
}

func (s *session) addReport(f reportFile) {
	s.reports = append(s.reports, f)
	s.closers = append(s.closers, func() error {
		if err := f.file.Close(); err != nil {
			return fmt.Errorf("%s: %w", f.flag, err)
		}
		return nil
	})
}

// writeReports writes what the CI system is told of a run that has ended.
func (s *session) writeReports(r *runner.Result) error {
	if len(s.reports) == 0 && !s.inGitHub() {
		return nil
	}
	report := &ci.Report{Result: r, Folder: s.folderName(), Hide: s.mask.String}
	var errs []error
	var err error
	if report.Findings, err = s.findings(r); err != nil {
		errs = append(errs, err)
	}
	if s.inGitHub() {
		errs = append(errs, report.WriteAnnotations(s.job()))
	}
	for _, f := range s.reports {
		if err := f.put(report); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.flag, err))
		}
	}
	return errors.Join(errs...)
}

func (f reportFile) put(r *ci.Report) error {
	if !f.adds { // what was in it stays there until now; pipes have nothing to truncate
		if err := f.file.Truncate(0); err != nil && !errors.Is(err, syscall.EINVAL) {
			return err
		}
	}
	return f.write(r, f.file)
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

// findings are those that the workflow names, else an output that is a list of
// them.
func (s *session) findings(r *runner.Result) ([]ci.Finding, error) {
	found := r.Findings
	for i := 0; found == nil && i < len(r.Outputs); i++ {
		if value := r.Outputs[i].Value; ci.IsFindings(value) {
			found = value
		}
	}
	if found == nil {
		return nil, nil
	}
	workspace := s.host.Linked().Workspace()
	return ci.Findings(found, workspace, cmp.Or(paths.Repository(workspace), workspace))
}
