package view

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
)

// The reasons for which a call whose rule is ask is denied without an answer.
const (
	// Unasked is the reason if nobody could be asked.
	Unasked = "no terminal to ask on"

	// Unseen is the reason if [Question] returns "".
	Unseen = "the call is too long to display"
)

// WhyDenied is the reason of a denial by somebody, with the reason that they give the model, if any.
func WhyDenied(who, reason string) string {
	if reason != "" {
		reason = ": " + reason
	}
	return who + " denied the call" + reason
}

// wasUnasked reports whether the rule of a denied call says that nobody could be asked.
func wasUnasked(rule string) bool { return strings.HasSuffix(rule, Unasked) }

// maxQuestion is the most characters of a call that are shown.
const maxQuestion = 4000

// Question returns the question whether a call may run: with the workflow, the unit that makes
// the call and its recipe, as far as ctx has them, the rule, and the whole call on one line. It
// returns "" if the call is too long for that.
func Question(ctx context.Context, workflow, tool string, arguments json.RawMessage, rule string) string {
	call := term.Visible(tool) + " " + term.Visible(string(arguments))
	if utf8.RuneCountInString(call) > maxQuestion {
		return ""
	}
	text := term.Visible(workflow)
	by := runner.CallerOf(ctx)
	if !by.Unit.IsZero() {
		text += ": " + by.Unit.WithAttempt(0).String()
	}
	if by.Recipe != "" {
		text += ": " + term.Visible(by.Recipe)
	}
	text += " wants to call\n  " + call + "\n"
	if rule != "" {
		text += "  rule: " + term.Visible(rule) + "\n"
	}
	return text
}

// Unkept is the reason why something that comes up while a call runs is denied if calls wait
// for a person.
const Unkept = "a question that comes up during a call can't wait for a person"

// StepQuestion returns the question of a step: where it comes from, its text on lines of its
// own, and the possible answers.
func StepQuestion(q *runner.Question) string {
	text := term.Visible(q.Workflow) + ": " + (&Unit{Place: q.Unit.String(), Label: q.Label}).Name()
	if q.Recipe != "" {
		text += ": " + term.Visible(q.Recipe)
	}
	text += " asks\n"
	for _, line := range QuestionLines(q.Question) {
		text += line + "\n"
	}
	return text + AnswerPrompt(q)
}

// QuestionLines returns the lines of a step's question, each with a mark that no other lines
// have, so that the text can't imitate them. The end of a very long question is left out.
func QuestionLines(text string) (lines []string) {
	const most, widest = 100, 1000
	all := linesOf(text)
	for _, line := range all[:min(len(all), most)] {
		lines = append(lines, "  | "+term.Shorten(term.Visible(line), widest))
	}
	if more := len(all) - most; more > 0 {
		lines = append(lines, "  | … "+quantity.Count(more, "line")+" more")
	}
	return lines
}

// AnswerPrompt returns the prompt that says which answers are possible.
func AnswerPrompt(q *runner.Question) string {
	text := "Answer"
	if form := AnswerForm(&q.Wait); form != "" {
		text += " (" + form + ")"
	}
	if len(q.Default) > 0 {
		text += " [" + term.Shorten(term.Visible(plain(q.Default)), 60) + "]"
	}
	return text + ": "
}

// AnswerForm returns which answers are possible, in a few words; "" is any text.
func AnswerForm(w *runner.Wait) string {
	if len(w.Choices) > 0 {
		return term.Visible(strings.Join(w.Choices, ", "))
	}
	var schema struct {
		Type any   `json:"type"`
		Enum []any `json:"enum"`
	}
	if len(w.Schema) == 0 || json.Unmarshal(w.Schema, &schema) != nil {
		return ""
	}
	switch {
	case schema.Enum != nil:
		var all []string
		for _, value := range schema.Enum {
			all = append(all, runner.Text(value))
		}
		return term.Visible(strings.Join(all, ", "))
	case schema.Type == "string":
		return ""
	}
	if kind, is := schema.Type.(string); is && forms[kind] != "" {
		return forms[kind]
	}
	return "JSON"
}

// forms are answers of a type, as a person writes them.
var forms = map[string]string{"integer": "an integer", "number": "a number", "boolean": "true or false", "object": "a JSON object", "array": "a JSON array"}

// plain returns a JSON value as a person writes it: a string without its quotes.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
