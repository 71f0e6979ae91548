package runner

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/sourcegraph/conc/panics"
)

// guarded turns a bug in flow into a failure of the step.
func (t *site) guarded(run func() *StepResult) (result *StepResult) {
	crash := panics.Try(func() { result = run() })
	if crash != nil {
		return t.resultOf(failed(&steps.Error{
			Kind: steps.KindInternal, Message: fmt.Sprintf("flow itself crashed: %v", crash.Value),
			Hint: "please report this, with the workflow", Err: crash.AsError(),
		}))
	}
	return result
}

// itemText returns the beginning of an item that is text, by which a person recognises it; ""
// for any other item.
func (t *site) itemText() string {
	text, _ := t.item.(string)
	return beginning(text, t.exec.Mask)
}

// resultOf returns the result of a step that contains no others.
func (t *site) resultOf(r steps.Result) *StepResult {
	result := t.result()
	result.Result = r
	return result
}
