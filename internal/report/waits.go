package report

import (
	"fmt"
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
	all := runner.CanAnswerAll(waits)
	lines = append(lines, "waiting for "+quantity.Count(len(waits), "answer")+":")
	for i := range waits {
		if i == maxWaits {
			lines = append(lines, fmt.Sprintf("  … and %s more; to list them all: flow show %s --output json", quantity.Thousands(len(waits)-i), ShellQuote(run)))
			break
		}
		lines = append(lines, wait(&waits[i], run, all)...)
	}
	calls := 0
	for i := range waits {
		if waits[i].IsCall() {
			calls++
		}
	}
	if calls > 1 && all {
		lines = append(lines, fmt.Sprintf("  all %s calls: flow resume %s --approve all, or --deny all", quantity.Thousands(calls), ShellQuote(run)))
	}
	return lines
}

// wait is one question or call. If all does not mean all calls, a step of that name is named by
// its attempt.
func wait(w *runner.Wait, run string, all bool) (lines []string) {
	address := w.Address()
	if address == runner.AllCalls && !all {
		address += "~1"
	}
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
		return append(lines, head, "  | "+call, command+"--approve "+ShellQuote(address), "      or --deny")
	}
	if form := view.AnswerForm(w); form != "" {
		head += " (" + form + ")"
	}
	if w.Until != nil {
		head += ", " + until(w)
	}
	lines = append(append(lines, head), view.QuestionLines(w.Question)...)
	if over(w) {
		return append(lines, command[:len(command)-1])
	}
	value := "VALUE"
	if len(w.Choices) > 0 {
		value = w.Choices[0]
	}
	return append(lines, command+"--answer "+ShellQuote(address+"="+value))
}

// until says when an answer comes too late, and what happens then.
func until(w *runner.Wait) string {
	when := w.Until.Local().Format("2006-01-02 15:04:05 MST")
	then := "then it fails"
	if len(w.Default) > 0 {
		then = "then the answer is " + term.Shorten(term.Visible(string(w.Default)), 60)
	}
	if over(w) {
		return fmt.Sprintf("until %s (the time is up), %s", when, then)
	}
	return fmt.Sprintf("until %s, %s", when, then)
}

// over reports whether the time for an answer is up.
func over(w *runner.Wait) bool { return w.Until != nil && time.Now().After(*w.Until) }
