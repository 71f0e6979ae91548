package runner

import (
	"context"
	"maps"

	"github.com/a-seed-11b9befa/flow/runner/unit"
	"github.com/a-seed-11b9befa/flow/workflows"
)

func looksAtStatus(step *workflows.Step) bool { return step.If != nil && step.If.UsesStatus() }

// A scope is where a list of steps runs: what their expressions see, and how
// they are called in events, folders and results.
type scope struct {
	run   *run
	in    *instance
	at    *place
	known *known // the steps that have ended, as expressions see them

	timeLeft *timeLeft // for what works here

	step    *workflows.Step // that runs here, by whose rules its expressions read files; nil: none
	reading *reading        // the same, for what its expressions ask of others

	around unit.Unit      // the group or the used workflow that the steps are in
	round  int            // of that group; 0 where it has none
	extras map[string]any // item, index, round
}

// names are what the expressions of a step see, extras last. ctx ends what they
// look for.
func (s *scope) names(ctx context.Context, more workflows.Env) workflows.Env {
	names := s.in.namesAt(ctx, s.at, s.step)
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
	child.round = round
	child.known = &known{around: s.known}
	return child
}
