package runner

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/runner/unit"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A step with once that was in flight when flow ended is not begun again. A person who has
// looked, and found that it took effect, gives its result: an answer to the step.

// happened divides answers: did are results of units that began once and did not succeed, by
// their addresses; the others are for what waits.
func (e *engine) happened(given []GivenAnswer) (units []unit.Unit, did map[string]string, others []GivenAnswer, err error) {
	for _, g := range given {
		u, failed := unit.Parse(g.Address)
		of, is := e.plan.Unsure(u)
		if failed != nil || g.Value == nil || !is {
			others = append(others, g)
			continue
		}
		if _, twice := did[of.String()]; twice {
			return nil, nil, nil, invalidAnswer(fmt.Sprintf("%s is answered twice", of), "")
		}
		if _, err := e.resultGiven(e.node(of).step, *g.Value); err != nil {
			return nil, nil, nil, invalidAnswer(fmt.Sprintf("%s: %v", of, err), "the answer is the result that the step would have had")
		}
		if did == nil {
			did = map[string]string{}
		}
		units, did[of.String()] = append(units, of), *g.Value
	}
	return units, did, others, nil
}

// addressed are the units to which answers may give results.
func addressed(given []GivenAnswer) (units []unit.Unit) {
	for _, g := range given {
		if u, err := unit.Parse(g.Address); err == nil && g.Value != nil {
			units = append(units, u)
		}
	}
	return units
}

// resultGiven is the result of a step that a person gives.
func (e *engine) resultGiven(step *workflows.Step, text string) (r steps.Result, err error) {
	output, err := outputOf(step.Output)
	if err != nil {
		return r, err
	}
	r = steps.Result{Status: steps.Succeeded, StopReason: steps.ReasonCompleted, Text: text}
	if step.Command != nil {
		r.ExitCode, r.Stdout = new(int), text
	}
	r.Output, err = output.Read(text)
	return r, err
}

// rememberGiven remembers the results that a record gives.
func (e *engine) rememberGiven(r record.Record) error {
	if len(r.Did) == 0 {
		return nil
	}
	var with record.Resumption
	if err := e.journal.Decode(r, &with); err != nil {
		return err
	}
	if e.did == nil {
		e.did = map[string]string{}
	}
	for u, text := range with.Did {
		e.did[u] = text
	}
	return nil
}

// vouched is what a unit comes to of which a person says that it took effect.
func (e *engine) vouched(a *activity) steps.Result {
	e.tellStart(a.node, a.site)
	r, err := e.resultGiven(a.task.Step, e.did[a.task.Unit.String()])
	if err != nil {
		return failed(err)
	}
	e.warnOf(a.task.Unit, "it had begun, and a person says that it took effect: it is not begun again")
	return r
}

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
