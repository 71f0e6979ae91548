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
	lines = append(lines, "the run waits for "+quantity.Count(len(waits), "answer")+":")
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
		lines = append(lines, fmt.Sprintf("  %s more are not shown; to list them all: flow show %s --output json", quantity.Thousands(more), ShellQuote(run)))
	}
	if calls > 1 {
		resume := "flow resume " + ShellQuote(run)
		lines = append(lines,
			fmt.Sprintf("  to approve all %s calls: %s --approve all", quantity.Thousands(calls), resume),
			fmt.Sprintf("  to deny all %s calls: %s --deny all", quantity.Thousands(calls), resume))
	}
	return lines
}

// wait is one question or call, with the commands that answer it.
func wait(w *runner.Wait, run string) (lines []string) {
	head := fmt.Sprintf("  step \"%s\"", named(w.Unit.String(), w.Label))
	if w.Recipe != "" {
		head += fmt.Sprintf(" of recipe \"%s\"", term.Visible(w.Recipe))
	}
	if w.IsCall() {
		lines = []string{head + " asks to make a call:", "  | " + term.Shorten(term.Visible(w.Tool)+" "+term.Visible(string(w.Arguments)), 4000)}
		if w.Rule != "" {
			lines = append(lines, fmt.Sprintf("    the rule \"%s\" requires approval", term.Visible(w.Rule)))
		}
	} else {
		form := view.AnswerForm(w)
		if form != "" {
			form = " (" + form + ")"
		}
		lines = append([]string{head + " asks" + form + deadline(w) + ":"}, view.QuestionLines(w.Question)...)
	}
	for _, c := range Answers(w, run) {
		lines = append(lines, "    "+c.String())
	}
	return lines
}

// Answers returns the commands that answer a question, or a call.
func Answers(w *runner.Wait, run string) []Command {
	resume, address := "flow resume "+ShellQuote(run), ShellQuote(w.Address())
	switch {
	case w.IsCall():
		return []Command{{"to approve the call", resume + " --approve " + address}, {"to deny the call, and tell the model why", resume + " --deny " + ShellQuote(w.Address()+"=REASON")}}
	case isOver(w):
		return []Command{{"to continue", resume}}
	}
	value := "VALUE"
	if len(w.Choices) > 0 {
		value = w.Choices[0]
	}
	answer := resume + " --answer " + ShellQuote(w.Address()+"="+value)
	if w.Comment {
		answer += " --comment " + ShellQuote(w.Address()+"=TEXT")
	}
	return []Command{{"to answer", answer}}
}

// isOver reports whether the time for an answer is over.
func isOver(w *runner.Wait) bool { return w.Until != nil && time.Now().After(*w.Until) }

// deadline says until when a question can be answered, and what happens then; "" for one without an end.
func deadline(w *runner.Wait) string {
	if w.Until == nil {
		return ""
	}
	until, then := w.Until.Local().Format("2006-01-02 15:04:05 MST"), "the step fails"
	if len(w.Default) > 0 {
		then = "the answer is " + term.Shorten(term.Visible(string(w.Default)), 60)
	}
	if isOver(w) {
		return " until " + until + ", which is over, and " + then
	}
	return " until " + until + ", and then " + then
}
