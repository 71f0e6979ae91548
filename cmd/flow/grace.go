package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// sayGrace says, once the run is interrupted, how long steps that ask always() have.
// stop ends that, and is called when nothing runs any more.
func (s *session) sayGrace(ctx context.Context) (stop func()) {
	grace := s.flags.grace
	if grace <= 0 || !slices.ContainsFunc(s.host.Workflow.Used(), tidiesUp) {
		return func() {}
	}
	said := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		defer close(said)
		s.say(fmt.Sprintf("%v: steps with always() have %s (--grace)", context.Cause(ctx), view.Took(grace)), "")
	})
	return func() {
		if !unwatch() {
			<-said
		}
	}
}

// tidiesUp reports whether a workflow has a step that runs after an interrupt.
func tidiesUp(w *workflows.Workflow) bool { return anyTidies(w.Steps) }

func anyTidies(steps []*workflows.Step) bool {
	return slices.ContainsFunc(steps, func(step *workflows.Step) bool {
		return step.If != nil && step.If.UsesAlways() || step.Group != nil && anyTidies(step.Group.Steps)
	})
}
