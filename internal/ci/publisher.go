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

// A Publisher writes commands into the log of a job of GitHub Actions, and a report into the job's
// summary. The zero Publisher, for what is no such job, writes nothing.
type Publisher struct {
	log     io.Writer
	summary string // the name of a file, or ""
}

// NewPublisher returns the publisher for an environment.
func NewPublisher(env func(name string) string, log io.Writer) Publisher {
	if !InGitHub(env) {
		return Publisher{}
	}
	return Publisher{log: log, summary: env("GITHUB_STEP_SUMMARY")}
}

// Begin has GitHub hide the secrets in the job's log, and fold the lines of the run.
func (p Publisher) Begin(workflow string, secrets []string) error {
	if p.log == nil {
		return nil
	}
	if err := writeMasks(p.log, secrets); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.log, "::group::flow run %s\n", term.Visible(workflow))
	return err
}

// End ends the folded lines.
func (p Publisher) End() {
	if p.log != nil {
		fmt.Fprintln(p.log, "::endgroup::")
	}
}

// Publish writes the report of a run.
func (p Publisher) Publish(r *Report) error {
	if p.log == nil {
		return nil
	}
	err := r.writeAnnotations(p.log)
	if p.summary != "" {
		err = errors.Join(err, p.appendSummary(r))
	}
	return err
}

// appendSummary appends the report to the job's summary. In a container the file may not be there, which is
// no reason to fail.
func (p Publisher) appendSummary(r *Report) error {
	to, err := os.OpenFile(p.summary, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		_, err = fmt.Fprintf(p.log, "::warning title=flow::no job summary is written: %s\n", escapeData(err.Error()))
		return err
	}
	if err := errors.Join(r.WriteSummary(to), to.Close()); err != nil {
		return fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err)
	}
	return nil
}
