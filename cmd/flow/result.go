package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/runner"
)

// What --output can say.
const (
	outputText = "text"
	outputJSON = "json"
	outputNone = "none"
)

// printResult writes the result to standard output, as it is but for secrets.
// Only on a terminal are its control characters made visible.
func (s *session) printResult(ctx context.Context, r *runner.Result) error {
	var text string
	switch s.flags.output.value {
	case outputNone:
		return nil
	case outputJSON:
		var b strings.Builder
		inner := program{stdout: &b}
		if err := inner.printJSON(r); err != nil {
			return fmt.Errorf("result: %w", err)
		}
		text = b.String()
	default:
		if text = r.Text(); text == "" && len(r.Outputs) == 0 {
			return nil
		}
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	text = s.options.Mask.String(text)
	if isTerminal(s.stdout) {
		text = visibleLines(text)
	}
	return s.print(ctx, text)
}

// print writes to standard output, for as long as it takes its reader, or until
// a little after ctx has ended.
func (s *session) print(ctx context.Context, text string) error {
	s.stderr.flush()
	out := newOutlet(ctx, s.stdout)
	_, err := io.WriteString(out, text)
	if closed := out.close(); err == nil {
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
	paint := painter{on: s.colored(s.stderr.to)}
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
		for _, line := range failureLines(r.Error) {
			fmt.Fprintln(&b, line)
		}
	}
	for _, line := range counted.denialLines() {
		fmt.Fprintln(&b, line)
	}
	if total.truncated > 0 {
		fmt.Fprintf(&b, "%s truncated; the whole of each is in %s\n", count(int64(total.truncated), "output"), s.folderName()+"/outputs")
	}
	if len(r.Unpriced) > 0 {
		fmt.Fprintf(&b, "cost unknown: no price for %s\n", visible(strings.Join(r.Unpriced, ", ")))
	}
	fmt.Fprintf(&b, "run folder: %s\n", visible(s.folderName()))
	s.stderr.Write([]byte(b.String()))
}

// failureLines name the step that failed, and why.
func failureLines(f *runner.Failure) []string {
	message := f.Message
	if f.Step != "" {
		message = fmt.Sprintf("step %q: %s", f.Step, message)
	}
	lines := strings.SplitN(strings.TrimSpace(message), "\n", 2)
	told := []string{"flow: " + brief(lines[0])}
	if len(lines) > 1 {
		told = append(told, quoted(lines[1])...)
	}
	if f.Hint != "" {
		told = append(told, "hint: "+visible(f.Hint))
	}
	return told
}
