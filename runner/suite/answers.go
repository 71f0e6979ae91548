package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A tester is the person of a case: who answers as its file says.
type tester struct {
	c    *workflows.TestCase
	seen *sighting
}

// errUnanswered is why a question waits.
var errUnanswered = errors.New("the case has no answer")

var (
	rounds   = regexp.MustCompile(`#[0-9]+`)
	elements = regexp.MustCompile(`\[[0-9]+\]`)
)

// answer finds the answer to a unit: that which names it most closely.
func (t *tester) answer(unit string) (value any, found bool) {
	noRound := rounds.ReplaceAllString(unit, "")
	for _, name := range []string{unit, noRound, elements.ReplaceAllString(noRound, "")} {
		if i := slices.IndexFunc(t.c.Answers, func(a workflows.TestAnswer) bool { return a.Unit == name }); i >= 0 {
			return t.c.Answers[i].Value, true
		}
	}
	return nil, false
}

// question answers the question of a step.
func (t *tester) question(_ context.Context, q *runner.Question) (any, error) {
	if value, found := t.answer(q.Unit.String()); found {
		return value, nil
	}
	return nil, errUnanswered
}

// ask answers for calls that have to be asked for: by the step that makes them, else
// as on_ask says; nobody is there where that says nothing.
func (t *tester) ask(_ context.Context, tool string, arguments json.RawMessage, d tools.Decision) (tools.Decision, error) {
	word := any(nil)
	if t.c.OnAsk == "allow" {
		word, d.Reason = "allow", "on_ask: allow"
	}
	if unit := t.seen.caller(tool, arguments); unit != "" {
		value, found := t.answer(unit)
		if byTool, is := value.(map[string]any); is {
			value, found = byTool[tool], byTool[tool] != nil
		}
		if found {
			word = value
		}
	}
	switch word {
	case "allow":
		d.Verdict = tools.Allow
	case "deny":
		d = d.Deny("denied by a person", "denied by a person")
	}
	return d, nil
}

// follow keeps the calls that are open.
func (s *sighting) follow(e runner.Event) {
	switch e.Type {
	case steps.CallPending:
		s.open = append(s.open, e)
	case steps.CallFinished:
		s.open = slices.DeleteFunc(s.open, func(o runner.Event) bool { return o.Unit == e.Unit && o.CallID == e.CallID })
	}
}

// caller is the unit that makes a call, without its attempt; "" where it could be
// several of different steps.
func (s *sighting) caller(tool string, arguments json.RawMessage) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var same, alike []string
	for _, o := range s.open {
		if o.Tool != tool {
			continue
		}
		unit := o.Unit.WithAttempt(0).String()
		alike = append(alike, unit)
		if bytes.Equal(o.Input, arguments) {
			same = append(same, unit)
		}
	}
	if len(same) == 0 { // what the workflow pins is not in the event
		same = alike
	}
	slices.Sort(same)
	if same = slices.Compact(same); len(same) == 1 {
		return same[0]
	}
	path := ""
	for _, unit := range same {
		of := elements.ReplaceAllString(rounds.ReplaceAllString(unit, ""), "")
		if path != "" && path != of {
			return ""
		}
		path = of
	}
	return path
}

// unanswered are the questions that nobody has answered, where the case does not
// expect that.
func (c *comparison) unanswered(e *workflows.Expectations) {
	r := c.seen.result
	waits := e.Status != nil && e.Status.Value == "waiting" || e.Exit != nil && e.Exit.Value == exitWaiting
	if r == nil || waits {
		return
	}
	for i := range r.Waiting {
		w := &r.Waiting[i]
		if w.IsCall() {
			continue
		}
		example := "…"
		if len(w.Choices) > 0 {
			example = w.Choices[0]
		} else if len(w.Default) > 0 {
			example = string(w.Default)
		}
		c.fail(Failure{
			Pos: c.Pos, What: fmt.Sprintf("nobody answers %s: %s", w.Address(), short(strings.TrimSpace(w.Question))),
			Notes: []string{fmt.Sprintf("add to the case: answers: {%s: %s}", keyOf(w.Address()), example)},
		})
	}
}

// exitWaiting is the exit code of a run that waits.
const exitWaiting = 9

// keyOf is a name as a key of YAML.
func keyOf(name string) string {
	if strings.ContainsAny(name, "[#") {
		return `"` + name + `"`
	}
	return name
}
