package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// maxWaits is how many waiting questions and calls are listed.
const maxWaits = 50

// Waits lists the questions and calls that a run waits for, each with the command that answers
// it. Run is the argument of flow resume for the run.
func Waits(waits []runner.Wait, run string) (lines []string) {
	if len(waits) == 0 {
		return nil
	}
	lines = append(lines, "waiting for "+quantity.Count(len(waits), "answer")+":")
	calls := 0
	for i := range waits {
		if waits[i].IsCall() {
			calls++
		}
		if i < maxWaits {
			lines = append(lines, wait(&waits[i], run)...)
		}
	}
	if more := len(waits) - maxWaits; more > 0 {
		lines = append(lines, fmt.Sprintf("  … and %s more; to list them all: flow show %s --output json", quantity.Thousands(more), ShellQuote(run)))
	}
	if calls > 1 {
		lines = append(lines, fmt.Sprintf("  all %s calls: flow resume %s --approve all, or --deny all", quantity.Thousands(calls), ShellQuote(run)))
	}
	return lines
}

// wait is one question or call.
func wait(w *runner.Wait, run string) []string {
	address := w.Address()
	head := "  " + term.Visible(address)
	if w.Label != "" {
		head += " (" + term.Visible(w.Label) + ")"
	}
	if w.Recipe != "" {
		head += ": " + term.Visible(w.Recipe)
	}
	command := "    flow resume " + ShellQuote(run) + " "
	if w.IsCall() {
		if w.Rule != "" {
			head += ", rule " + term.Visible(w.Rule)
		}
		call := term.Shorten(term.Visible(w.Tool)+" "+term.Visible(string(w.Arguments)), 4000)
		return []string{head, "  | " + call, command + "--approve " + ShellQuote(address), "      or --deny"}
	}
	if form := view.AnswerForm(w); form != "" {
		head += " (" + form + ")"
	}
	over := w.Until != nil && time.Now().After(*w.Until)
	if w.Until != nil {
		head += ", until " + w.Until.Local().Format("2006-01-02 15:04:05 MST")
		if over {
			head += " (the time is up)"
		}
		if len(w.Default) > 0 {
			head += ", then the answer is " + term.Shorten(term.Visible(string(w.Default)), 60)
		} else {
			head += ", then it fails"
		}
	}
	lines := append([]string{head}, view.QuestionLines(w.Question)...)
	if over {
		return append(lines, strings.TrimSuffix(command, " "))
	}
	value := "VALUE"
	if len(w.Choices) > 0 {
		value = w.Choices[0]
	}
	return append(lines, command+"--answer "+ShellQuote(address+"="+value))
}
