package runner

import (
	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/steps"
)

// onceUnknown returns the error of a step that may begin only once and was in flight, or of a
// foreach of such a step that would run again.
func onceUnknown(task plan.Task) error {
	kind := steps.KindTool
	if task.Step.Command != nil {
		kind = steps.KindCommand
	}
	failure := &steps.Error{
		Kind: kind, Message: "once: it had begun when flow ended, and whether it took effect is not known; it is not begun again", Option: OptionOnce,
	}
	if _, element := task.Unit.Element(); task.Step.Foreach != nil && !element {
		failure.Option = OptionFrom
		failure.Message = "once: elements of it have begun, and something that it depends on has run again: new elements can't be told from those that may not begin again"
	}
	return failure
}
