package suite

import (
	"cmp"
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

// answers are those of the person of a case, as its file has them.
type answers struct{ *workflows.TestCase }

var rounds = regexp.MustCompile(`#[0-9]+`)

// answer finds the most specific answer for a unit.
func (a answers) answer(u journal.Unit) (value any, found bool) {
	whole := u.WithAttempt(0).String()
	for _, name := range []string{whole, rounds.ReplaceAllString(whole, ""), u.Path()} {
		if i := slices.IndexFunc(a.Answers, func(one workflows.TestAnswer) bool { return one.Unit == name }); i >= 0 {
			return a.Answers[i].Value, true
		}
	}
	return nil, false
}

// question answers the question of a step.
func (a answers) question(_ context.Context, q *runner.Question) (any, error) {
	if value, found := a.answer(q.Unit); found {
		return value, nil
	}
	return nil, runner.ErrUnanswered
}

// ask answers for calls whose rule is ask: with the answer of their step, or else as on_ask says.
// Without either, nobody is there.
func (a answers) ask(ctx context.Context, tool string, _ json.RawMessage, d tools.Decision) (tools.Decision, error) {
	word := any(nil)
	if a.OnAsk == "allow" {
		word, d.Reason = "allow", "on_ask: allow"
	}
	value, found := a.answer(runner.CallerOf(ctx).Unit)
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
		d = d.Deny("a person denied the call", "denied by a person")
	}
	return d, nil
}

// unanswered fails the case for questions without an answer, unless the case expects them.
func (c *comparison) unanswered(e *workflows.Expectations) {
	if e.Status != nil && e.Status.Value == "waiting" || e.Exit != nil && same(e.Exit.Value, c.seen.exit) {
		return
	}
	for _, w := range c.seen.result.Waiting {
		if w.IsCall() {
			continue
		}
		example := cmp.Or(string(w.Default), "…")
		if len(w.Choices) > 0 {
			example = w.Choices[0]
		}
		note := fmt.Sprintf("add to the case: answers: {%q: %s}", w.Address(), example)
		c.fail(c.Pos, []string{note}, "no answer for %s: %s", w.Address(), short(strings.TrimSpace(w.Question)))
	}
}
