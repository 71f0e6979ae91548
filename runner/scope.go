package runner

import (
	"context"
	"fmt"
	"maps"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// A scope is where a list of steps runs: what their expressions see, and how
// they are called in events, folders and results.
type scope struct {
	run   *run
	in    *instance
	known *known // the steps that have ended, as expressions see them

	timeLeft *timeLeft // for what works here

	reading *reading // the step that runs here, for what its expressions ask of others

	path   string         // of the group or the used workflow around; "" at the top
	place  string         // the same with every index and round
	index  *int           // of the element around
	round  int            // of the group around
	number int            // of the step's attempt, from 2; 0 in the first
	tries  string         // which round and attempt of everything around this is, but for first ones: @round-2@attempt-3
	exact  bool           // path and index alone could mean several
	extras map[string]any // item, index, round
}

// names are what the expressions of a step see, extras last. ctx ends what they
// look for.
func (s *scope) names(ctx context.Context, more workflows.Env) workflows.Env {
	names := s.in.names(ctx)
	names["steps"] = s.steps()
	maps.Copy(names, s.extras)
	maps.Copy(names, more)
	return names
}

// with is the scope with one more name.
func (s *scope) with(name string, value any) *scope {
	child := *s
	child.extras = maps.Clone(s.extras)
	if child.extras == nil {
		child.extras = map[string]any{}
	}
	child.extras[name] = value
	return &child
}

// again is the scope of one round of a group: what the rounds before it ended
// is not known in it.
func (s *scope) again(round int) *scope {
	child := s.with("round", round)
	child.round, child.tries = round, s.tries+try("round", round)
	child.known = &known{around: s.known}
	return child
}

// after is the scope once these steps have ended.
func (s *scope) after(results []*StepResult) *scope {
	child := *s
	child.known = &known{around: s.known}
	for _, r := range results {
		child.known.add(r)
	}
	return &child
}

// try names one of several goes at the same work. Names of steps hold no @.
func try(what string, n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf("@%s-%d", what, n)
}
