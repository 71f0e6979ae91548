package runner

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/apart"
	"github.com/a-seed-11b9befa/flow/steps"
)

// guarded turns a bug in flow, or in a function of the options, into a failure of the step.
func (t *site) guarded(run func() *StepResult) (result *StepResult) {
	crash := apart.Try(func() { result = run() })
	switch {
	case crash == nil:
		return result
	case crash.Value == apart.ErrGone: // flow itself never does that
		return t.leaf(failed(&steps.Error{Kind: steps.KindInternal, Message: "what the step called crashed: " + apart.ErrGone.Error(), Err: crash.AsError()}))
	default:
		return t.leaf(failed(&steps.Error{
			Kind: steps.KindInternal, Message: fmt.Sprintf("flow itself crashed: %v", crash.Value),
			Hint: "please report this, with the workflow", Err: crash.AsError(),
		}))
	}
}

// itemText returns the beginning of an item that is text, by which a person recognises it; ""
// for any other item.
func (t *site) itemText() string {
	text, _ := t.item.(string)
	return t.run.beginning(text)
}

// leaf returns the result of a step that contains no others.
func (t *site) leaf(r steps.Result) *StepResult {
	result := t.result()
	result.Result = r
	return result
}
