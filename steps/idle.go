package steps

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/providers"
)

// idle is a finished turn in which the model did nothing, though the task was not done. The
// model is asked once more; the next such turn, without calls in between, is a failure.
type idle struct {
	problem string
	ask     string // for the model
	empty   bool   // the answer is: checks may confirm that nothing was left to do
}

// idleTurn returns what shows that a finished turn is idle, or nil. problem is what is wrong with
// its result: what fits a schema is one.
func (d *dialogue) idleTurn(t turn, problem error) *idle {
	switch {
	case t.submitted, d.form.Kind == OutputSchema && problem == nil:
		return nil
	case t.answer.Finish == providers.FinishToolCalls:
		return &idle{
			problem: "the model's answer ended to make a call, but has no call",
			ask:     "Your answer ended to make a call, but no call came with it: make the call, or give your result if you are done.",
		}
	case d.silent(t.answer):
		return &idle{
			problem: "the model's answer to the result of a tool is empty", empty: true,
			ask: "Your answer was empty: go on with the task, or give your result if you are done.",
		}
	}
	if name := writtenCall(t.answer.Text(), d.names); name != "" {
		return &idle{
			problem: fmt.Sprintf("the model wrote a call of %q as text, which is not run", name),
			ask:     fmt.Sprintf("Your answer ended with a call of %s as text, and no tool was called: call the tool, or give your result if you are done.", name),
		}
	}
	return nil
}

// scripted is the provider of scripted models, which may say nothing.
const scripted = "script"

// silent reports whether an answer is empty that should say what follows from the result of a
// tool. A result that has to be JSON is repaired instead.
func (d *dialogue) silent(answer providers.Message) bool {
	if answer.Text() != "" || answer.Provider == scripted || d.form.structured() {
		return false
	}
	last := len(d.c.Messages) - 1
	if last > 0 && d.c.Messages[last].Role == providers.RoleAssistant { // the answer has thoughts
		last--
	}
	return d.c.Idle > 0 || d.c.Messages[last].Role == providers.RoleTool
}

// wroteCall reports whether an answer ends with a call as text in place of a result.
func (d *dialogue) wroteCall(answer providers.Message) bool {
	return d.form.Kind != OutputSchema && writtenCall(answer.Text(), d.names) != ""
}
