package steps

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// handIn answers the calls that hand in a result, and takes the result of the last one. It
// takes none if another call of the turn failed, which the model has not seen yet.
func (d *dialogue) handIn(t *turn, calls []*call) {
	failed := t.refused || slices.ContainsFunc(t.calls, notSucceeded)
	last := true
	for _, c := range slices.Backward(calls) {
		switch {
		case !c.hands:
			continue
		case failed:
			c.answer = refusal("Not taken: another call of this turn did not succeed. See to that first, then hand in the result again.")
		case last:
			t.handed = d.receive(c)
		default:
			c.answer = refusal("Not taken: a later call hands in the result, too.")
		}
		last = false
	}
}

func notSucceeded(c Called) bool { return c.Status != tools.Succeeded }

// receive parses a result, and answers its call.
func (d *dialogue) receive(c *call) *handed {
	result, problem := d.form.parse(string(c.block.Arguments))
	c.answer = d.form.receipt(problem)
	return &handed{found: result, problem: problem}
}

// receipt returns the answer to a call that hands in a result.
func (f form) receipt(problem error) tools.Answer {
	if problem != nil {
		return refusal(f.correct(problem))
	}
	return tools.Answer{Status: tools.Succeeded, Content: "Taken."}
}

// answerClosing answers the calls of a closing answer without running any.
func (d *dialogue) answerClosing(answer providers.Message, problem error) {
	m := providers.Message{Role: providers.RoleTool}
	for _, block := range answer.Calls() {
		a := refusal("Not run: there are no more calls.")
		if d.form.handsIn(block) {
			a = d.form.receipt(problem)
		}
		m.Blocks = append(m.Blocks, answered(block, a))
	}
	if len(m.Blocks) > 0 {
		d.say(m)
	}
}
