package ci

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/a-seed-11b9befa/flow/internal/term"
)

// InGitHub reports whether a program runs in a job of GitHub Actions.
func InGitHub(env func(name string) string) bool { return env("GITHUB_ACTIONS") == "true" }

// A Publisher writes reports of a run into files and, in a job of GitHub Actions, commands into
// the job's log. The zero Publisher writes nothing.
type Publisher struct {
	Log     func() io.Writer // of the job, once all that came before is written; nil: there is none
	files   []target
	summary *os.File // of the job, or nil
}

// A target is a file that a report is written to.
type target struct {
	name   string
	write  func(*Report, io.Writer) error
	within func(write func(io.Writer) error) error
}

// Add adds a report that is written when the run has ended: within opens its file for write.
// Errors begin with the name.
func (p *Publisher) Add(name string, write func(*Report, io.Writer) error, within func(write func(io.Writer) error) error) {
	p.files = append(p.files, target{name, write, within})
}

// OpenSummary adds the summary that GitHub shows with a job. Its file stays open until
// [Publisher.Close].
func (p *Publisher) OpenSummary(env func(name string) string) (err error) {
	path := env(stepSummary)
	if path == "" || p.Log == nil {
		return nil
	}
	p.summary, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("no job summary is written: %s: %w", stepSummary, err)
	}
	p.Add(stepSummary, (*Report).WriteSummary, func(write func(io.Writer) error) error { return write(p.summary) })
	return nil
}

const stepSummary = "GITHUB_STEP_SUMMARY"

// Close closes the summary.
func (p *Publisher) Close() error {
	if p.summary == nil {
		return nil
	}
	if err := p.summary.Close(); err != nil {
		return fmt.Errorf("%s: %w", stepSummary, err)
	}
	return nil
}

// Begin has GitHub hide the secrets in the job's log, and fold the lines of the run.
func (p *Publisher) Begin(workflow string, secrets []string) error {
	if p.Log == nil {
		return nil
	}
	to := p.Log()
	if err := writeMasks(to, secrets); err != nil {
		return err
	}
	_, err := fmt.Fprintf(to, "::group::flow run %s\n", term.Visible(workflow))
	return err
}

// End ends the folded lines.
func (p *Publisher) End() {
	if p.Log != nil {
		fmt.Fprintln(p.Log(), "::endgroup::")
	}
}

// Publish writes all reports of a run. Its findings are in a workspace.
func (p *Publisher) Publish(r *Report, workspace string) error {
	if len(p.files) == 0 && p.Log == nil {
		return nil
	}
	r.read(workspace)
	var errs []error
	if p.Log != nil {
		errs = append(errs, r.writeAnnotations(p.Log()))
	}
	for _, f := range p.files {
		if err := f.within(func(w io.Writer) error { return f.write(r, w) }); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.name, err))
		}
	}
	return errors.Join(errs...)
}
