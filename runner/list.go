package runner

import (
	"context"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// errSibling ends the running steps of a list of which another one failed.
var errSibling = &steps.Error{Kind: steps.KindCancelled, Message: "cancelled: another step failed"}

// list runs a list of steps and returns their results, in the file's order,
// when all have ended.
func (s *scope) list(ctx context.Context, list []*workflows.Step) []*StepResult {
	if s.frozen {
		return s.listKept(list)
	}
	results := make([]*StepResult, len(list))
	plan, past := listPlan(list), newPast(len(list))
	siblings, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	tidying, release := s.run.tidying(ctx)
	defer release()

	begin := func(i int) func() outcome {
		s.refresh(list, i, results)
		stands := plan.stands(i, past)
		site, during := s.site(list[i]), siblings
		if looksAtStatus(list[i]) {
			during = ctx // it may be there to tidy up after the failure of another
		}
		if asksAlways(list[i]) {
			during = tidying // or after an interrupt
		}
		var line *ticket
		if list[i].Foreach == nil {
			line = site.queue()
		}
		return func() outcome {
			results[i] = site.execute(during, stands, line)
			return results[i].outcome()
		}
	}
	drive(tidying, plan, past, begin, func(i int) {
		s.known.add(results[i])
		if !results[i].good() {
			cancel(errSibling)
		}
	})
	for i, step := range list {
		if results[i] == nil {
			results[i] = s.site(step).skip()
		}
	}
	return results
}

func looksAtStatus(step *workflows.Step) bool {
	return step.If != nil && step.If.UsesStatus()
}
