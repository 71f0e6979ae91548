package suite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// answers are those of the person of a case, as its file has them.
type answers struct{ *Case }

var rounds = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`#[0-9]+`) })

// answer finds the most specific answer for a unit.
func (a answers) answer(u journal.Address) *givenAnswer {
	whole := u.WithAttempt(0).String()
	for _, name := range []string{whole, rounds().ReplaceAllString(whole, ""), u.Path()} {
		if i := slices.IndexFunc(a.Answers, func(one givenAnswer) bool { return one.unit.Text == name }); i >= 0 {
			return &a.Answers[i]
		}
	}
	return nil
}

// question answers the question of a step.
func (a answers) question(_ context.Context, q *runner.Question) (any, error) {
	given := a.answer(q.Unit)
	if given == nil {
		return nil, runner.ErrUnanswered
	}
	value, comment := given.commented(q.Comment)
	q.SetComment(comment)
	return value, nil
}

// ask answers for calls whose rule is ask: with the answer of their step, or else as on_ask says.
// Without either, nobody is there.
func (a answers) ask(ctx context.Context, tool string, _ json.RawMessage, d tools.Decision) (tools.Decision, error) {
	word := any(nil)
	if a.OnAsk == "allow" {
		word, d.Reason = "allow", "on_ask: allow"
	}
	if given := a.answer(runner.CallerOf(ctx).Unit); given != nil {
		value := given.value.Data()
		if byTool, is := value.(map[string]any); is {
			value = byTool[tool]
		}
		if value != nil {
			word = value
		}
	}
	text, _ := word.(string)
	if text == "" {
		return d, nil
	}
	verdict, reason, _ := strings.Cut(text, ": ")
	return steps.Approval{Allowed: verdict == "allow", Reason: reason}.Ask(ctx, tool, nil, d)
}

// unanswered fails the case for questions without an answer, unless the case expects them.
func (c *comparison) unanswered(e *expectations) {
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
		c.fail(c.Pos, []string{note}, "the case has no answer for %q, which asked: %s", w.Address(), short(strings.TrimSpace(w.Question)))
	}
}
