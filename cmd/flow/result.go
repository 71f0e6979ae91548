package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
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
	short := counted.Shortfalls()
	if s.flags.logJSON || s.flags.quiet && r.Status == steps.Succeeded && len(short) == 0 {
		return
	}
	var b strings.Builder
	total := counted.Counts
	total.Tokens, total.CostUSD, total.Unpriced = r.Usage.Total(), r.Cost.USD, !r.Cost.Known
	line := view.Line{Word: view.Outcome(r.Status, short), Tone: view.ToneOf(r.Status), Text: " in "}
	if r.Status == steps.Succeeded && len(short) > 0 {
		line.Tone, line.Text = view.Doubtful, ", in "
	}
	line.Text += view.Took(time.Duration(r.Duration) * time.Millisecond)
	if counts := total.String(); counts != "" {
		line.Text += ": " + counts
	}
	fmt.Fprintln(&b, line.Painted(painted(s.painter())))
	if r.Error != nil {
		fmt.Fprintln(&b, "flow: "+strings.Join(view.FailureLines(r.Error, counted.Told(r.Error.Message)), "\n"))
		if hint := counted.Hint(hinted(&r.Error.Error).Hint); hint != "" {
			fmt.Fprintln(&b, "hint: "+term.Visible(hint))
		}
	}
	for _, line := range counted.Denials() {
		fmt.Fprintln(&b, line)
	}
	if s.unasked {
		fmt.Fprintln(&b, "hint: "+waysOut)
	}
	if line := view.TruncatedLine(r.Steps, s.folderName()+"/outputs"); line != "" {
		fmt.Fprintln(&b, term.Visible(line))
	}
	if len(r.Unpriced) > 0 {
		fmt.Fprintf(&b, "cost unknown: no price for %s\n", term.Visible(strings.Join(r.Unpriced, ", ")))
	}
	fmt.Fprintf(&b, "run folder: %s\n", term.Visible(s.folderName()))
	if r.Status != steps.Succeeded {
		fmt.Fprintf(&b, "hint: flow resume %s goes on with it\n", term.Visible(s.runName()))
	}
	s.stderr.Write([]byte(b.String()))
}
