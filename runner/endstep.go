package runner

import "github.com/a-seed-11b9befa/flow/steps"

// errEnded is why what runs beside a step is cancelled that ends their list as succeeded.
var errEnded = &steps.Error{Kind: steps.KindCancelled, Message: "another step ended the list"}

// runEnd runs a step that ends its list.
func (u *unit) runEnd() *StepResult {
	u.barrier.pass()
	ctx, cancel := u.context()
	defer cancel()
	if cause := u.stop(); cause != nil {
		return u.finish(u.resultOf(steps.Interrupted(cause)))
	}
	end, text := u.step.End, ""
	u.start()
	if end.Message != nil {
		var err error
		if text, err = end.Message.Text(u.names(ctx, nil)); u.dry.assumes(u, "message", err) {
			err = nil
		}
		if err != nil {
			return u.undecided(new(unprepared(ctx, mistake("message", err))))
		}
	}
	if end.Fails {
		return u.finish(u.resultOf(failed(&steps.Error{Kind: steps.KindCheckFailed, Message: text})))
	}
	return u.finish(u.resultOf(steps.Result{Status: steps.Succeeded, StopReason: steps.ReasonCompleted, Text: text, Output: text}))
}
