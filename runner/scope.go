package runner

import (
	"context"
	"maps"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A scope is where a list of steps runs: what their expressions see, and the unit around
// them.
type scope struct {
	exec    *exec
	in      *instance
	at      *workEnv
	visible *visibleSteps // the steps that have ended

	previous *visibleSteps // those of the round before; nil: there are no rounds

	timeLeft *timeLeft // for steps that work here
	account  *account  // of the budget that bounds their requests; nil: none does
	ender    *ender    // of the budget after which no more of them begin; nil: there is none

	step *workflows.Step // the step that runs, by whose rules expressions read files; nil: none

	around journal.Address // the group or the used workflow that the steps are in
	round  int             // of that group; 0 if it has none
	extras map[string]any  // item, index, round
}

// names returns the names that the expressions of a step see, extras last. glob and file end
// with ctx.
func (s *scope) names(ctx context.Context, more workflows.Env) workflows.Env {
	names := s.in.namesAt(ctx, s.at, s.step)
	names["steps"] = workflows.StepReader(s.visible.read)
	if s.previous != nil {
		names["previous"] = workflows.StepReader(s.previous.readPrevious)
	}
	maps.Copy(names, s.extras)
	maps.Copy(names, more)
	return names
}

// with returns the scope with one more name.
func (s *scope) with(name string, value any) *scope {
	child := *s
	child.extras = maps.Clone(s.extras)
	if child.extras == nil {
		child.extras = map[string]any{}
	}
	child.extras[name] = value
	return &child
}

// again returns the scope of one round of a group. It knows the steps of the round before, as previous,
// and none of the rounds before that.
func (s *scope) again(round int, previous *visibleSteps) *scope {
	child := s.with("round", round)
	child.round = round
	child.visible, child.previous = s.visible.listInside(), &visibleSteps{list: previous.list}
	return child
}
