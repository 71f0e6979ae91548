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
		Kind: kind, Message: "once: not rerun, because it had started when flow ended and may have taken effect", Option: OptionOnce,
	}
	if _, element := task.Unit.Element(); task.Step.Foreach != nil && !element {
		failure.Option = OptionFrom
		failure.Message = "once: a step that it depends on ran again, and elements of it had started: it is not known which elements may run"
	}
	return failure
}
