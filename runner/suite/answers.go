package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A tester is the person of a case, who answers as its file says.
type tester struct{ *workflows.TestCase }

var rounds = regexp.MustCompile(`#[0-9]+`)

// answer finds the most specific answer for a unit.
func (t tester) answer(u journal.Unit) (value any, found bool) {
	whole := u.WithAttempt(0).String()
	for _, name := range []string{whole, rounds.ReplaceAllString(whole, ""), u.Path()} {
		if i := slices.IndexFunc(t.Answers, func(a workflows.TestAnswer) bool { return a.Unit == name }); i >= 0 {
			return t.Answers[i].Value, true
		}
	}
	return nil, false
}

// question answers the question of a step.
func (t tester) question(_ context.Context, q *runner.Question) (any, error) {
	if value, found := t.answer(q.Unit); found {
		return value, nil
	}
	return nil, runner.ErrUnanswered
}

// ask answers for calls whose rule is ask: with the answer of their step, or else as on_ask says.
// Without either, nobody is there.
func (t tester) ask(ctx context.Context, tool string, _ json.RawMessage, d tools.Decision) (tools.Decision, error) {
	word := any(nil)
	if t.OnAsk == "allow" {
		word, d.Reason = "allow", "on_ask: allow"
	}
	value, found := t.answer(runner.CallerOf(ctx).Unit)
	if byTool, is := value.(map[string]any); is {
		value, found = byTool[tool], byTool[tool] != nil
	}
	if found {
		word = value
	}
	switch word {
	case "allow":
		d.Verdict = tools.Allow
	case "deny":
		d = d.Deny("denied by a person", "denied by a person")
	}
	return d, nil
}

// unanswered fails the case for questions without an answer, unless the case expects them.
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
			Pos: c.Pos, What: fmt.Sprintf("no answer for %s: %s", w.Address(), short(strings.TrimSpace(w.Question))),
			Notes: []string{fmt.Sprintf("add to the case: answers: {%s: %s}", keyOf(w.Address()), example)},
		})
	}
}

// exitWaiting is the exit code of a run that waits.
const exitWaiting = 9

// keyOf is a name as a key in YAML.
func keyOf(name string) string {
	if strings.ContainsAny(name, "[#") {
		return `"` + name + `"`
	}
	return name
}
