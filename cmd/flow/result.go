package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// What --output can say.
const (
	outputText = "text"
	outputJSON = "json"
	outputNone = "none"
)

// printResult writes the result to standard output, as it is but for secrets.
// Only on a terminal are its control characters made visible, and only in the log
// of a CI system are its commands broken.
func (s *session) printResult(ctx context.Context, r *runner.Result) error {
	var text string
	switch s.flags.output.value {
	case outputNone:
		return nil
	case outputJSON:
		return s.printed(ctx, term.JSONOutput(s.stdout, s.env), func(w io.Writer) error { return r.WriteJSON(w, s.mask) })
	default:
		if text = r.Text(); text == "" && len(r.Outputs) == 0 {
			return nil
		}
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	text = s.mask.String(text)
	switch {
	case term.IsTerminal(s.stdout):
		text = term.VisibleLines(text)
	case term.InCILog(s.stdout, s.env):
		text = term.Disarm(text)
	}
	return s.print(ctx, text)
}

// dryRun prints what a run would do. The models are found, and none is asked.
func (s *session) dryRun(ctx context.Context) error {
	plan, err := view.NewPlan(s.host.Linked(), host.Asks, s.flags.budget)
	if err != nil {
		return err
	}
	if s.flags.output.value != outputJSON {
		return s.print(ctx, term.VisibleLines(s.mask.String(plan.Text())))
	}
	var b strings.Builder
	if err := writeJSON(&b, plan); err != nil {
		return err
	}
	return s.print(ctx, s.mask.String(b.String()))
}

// print writes a text to standard output.
func (s *session) print(ctx context.Context, text string) error {
	return s.printed(ctx, s.stdout, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// printed writes to standard output or what stands before it, for as long as it takes its reader, or
// until a little after ctx has ended.
func (s *session) printed(ctx context.Context, to io.Writer, write func(io.Writer) error) error {
	s.stderr.Flush()
	out := term.NewOutlet(ctx, to)
	err := write(out)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// summarize says on standard error what the run came to.
func (s *session) summarize(r *runner.Result, counted *view.Narrator) {
	short := view.Shortfalls(r)
	if s.flags.logJSON || s.flags.quiet && r.Status == steps.Succeeded && len(short) == 0 {
		return
	}
	var b strings.Builder
	for _, line := range counted.Ending(r, s.folderName()+"/outputs", func(e *steps.Error) string { return report.Hinted(e).Hint }) {
		fmt.Fprintln(&b, line.Painted(report.Painted(s.painter())))
	}
	if s.unasked {
		fmt.Fprintln(&b, "hint: "+report.WaysOut)
	}
	if r.Answered > 0 && len(r.Waiting) > 0 {
		fmt.Fprintf(&b, "%d answered, %d to go\n", r.Answered, len(r.Waiting))
	}
	for _, line := range report.Waits(r.Waiting, report.RunName(s.folderName())) {
		fmt.Fprintln(&b, line)
	}
	fmt.Fprintf(&b, "run folder: %s\n", term.Visible(s.folderName()))
	if len(short) > 0 && r.Status == steps.Succeeded {
		fmt.Fprintf(&b, "hint: %s\n", report.DoesAgain(report.RunName(s.folderName()), failedUnits(r, short)))
	}
	if r.Status != steps.Succeeded {
		fmt.Fprintf(&b, "hint: %s\n", report.GoesOn(report.RunName(s.folderName()), r.Error, s.resumed != nil && r.Status != steps.Waiting))
	}
	s.stderr.Write([]byte(b.String()))
}

// failedUnits are the first steps and elements that did not succeed.
func failedUnits(r *runner.Result, short []view.Shortfall) (units []string) {
	for _, s := range short {
		if s.Unit != "" {
			units = append(units, s.Unit)
		}
	}
	for _, step := range r.Steps {
		for element, err := range step.Elements() {
			if err != nil || len(units) > 1 {
				return units
			}
			if element.Status != steps.Succeeded {
				units = append(units, step.Unit.WithElement(element.Index).String())
				continue
			}
			for _, inner := range element.Inside().Failed() {
				units = append(units, inner.Unit.String())
			}
		}
	}
	return units
}
