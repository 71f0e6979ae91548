package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
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
func (s *session) summarize(r *runner.Result, counted *tallies) {
	if s.flags.logJSON {
		return
	}
	paint := s.painter()
	n := &narrator{paint: paint, tallies: counted}
	var b strings.Builder
	total := counted.run
	total.tokens, total.cost, total.unpriced = r.Usage.Total(), r.Cost.USD, !r.Cost.Known
	line := n.status(r.Status) + " in " + took(time.Duration(r.Duration)*time.Millisecond)
	if amounts := total.amounts(); amounts != "" {
		line += ": " + amounts
	}
	fmt.Fprintln(&b, line)
	if r.Error != nil {
		for _, line := range failureLines(r.Error, counted.told[r.Error.Message]) {
			fmt.Fprintln(&b, line)
		}
	}
	for _, line := range counted.denialLines() {
		fmt.Fprintln(&b, line)
	}
	if line := truncatedLine(r.Steps, s.folderName()+"/outputs"); line != "" {
		fmt.Fprintln(&b, term.Visible(line))
	}
	if len(r.Unpriced) > 0 {
		fmt.Fprintf(&b, "cost unknown: no price for %s\n", term.Visible(strings.Join(r.Unpriced, ", ")))
	}
	fmt.Fprintf(&b, "run folder: %s\n", term.Visible(s.folderName()))
	s.stderr.Write([]byte(b.String()))
}

// truncatedLine says how many outputs were truncated, and where the whole of them
// is, as far as it was kept.
func truncatedLine(results runner.StepResults, folder string) string {
	truncated, lost := 0, 0
	for _, step := range results {
		if !strings.Contains(step.Path(), "/") { // what is inside is counted in it
			truncated += step.Truncated
			lost += step.Lost
		}
	}
	line := tools.Count(truncated, "output") + " truncated; "
	switch {
	case truncated == 0:
		return ""
	case lost == 0:
		return line + "the whole of each is in " + folder
	case lost == truncated:
		return line + "what was left out is lost"
	}
	return line + fmt.Sprintf("what was left out of %d is lost, the whole of the others is in %s", lost, folder)
}

// failureLines name the step that failed, and why: on one line where all of it
// is on the screen already.
func failureLines(f *runner.Failure, told bool) []string {
	message := f.Message
	if f.Step != "" {
		message = fmt.Sprintf("step %q: %s", f.Step, message)
	}
	lines := strings.SplitN(strings.TrimSpace(message), "\n", 2)
	said := []string{"flow: " + brief(lines[0])}
	if len(lines) > 1 && !told {
		said = append(said, quoted(lines[1])...)
	}
	if f.Hint != "" {
		said = append(said, "hint: "+term.Visible(f.Hint))
	}
	return said
}
