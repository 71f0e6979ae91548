package report

import (
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Ending says how a run that has just ended went, and what can be done about it. Resumed says
// that the run was resumed.
func Ending(r *runner.Result, counted *view.Narrator, dir string, resumed bool, colors term.Painter) string {
	var b strings.Builder
	for _, line := range counted.Ending(r, dir+"/outputs", func(e *steps.Error) string {
		if r.Error != nil && namesUnit(r.Error) {
			return e.Hint // the last line has the command
		}
		return Hinted(e).Hint
	}) {
		fmt.Fprintln(&b, line.Painted(painted(colors)))
	}
	if counted.Unasked {
		fmt.Fprintln(&b, "hint: "+waysOut)
	}
	if r.Answered > 0 && len(r.Waiting) > 0 {
		fmt.Fprintf(&b, "%d answered, %d still waiting\n", r.Answered, len(r.Waiting))
	}
	name := RunName(dir)
	for _, line := range Waits(r.Waiting, name) {
		fmt.Fprintln(&b, line)
	}
	fmt.Fprintf(&b, "run folder: %s\n", term.Visible(dir))
	short := view.Shortfalls(r)
	switch {
	case r.Status == steps.Waiting: // each answer is given by its own command
	case r.Status != steps.Succeeded:
		fmt.Fprintf(&b, "%s\n", goesOn(name, r.Error, resumed))
	case len(short) > 0:
		fmt.Fprintf(&b, "%s\n", DoesAgain(name, r, short))
	}
	return b.String()
}
