package report

import (
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Ending says how a run that has just ended went, and what can be done about it.
func Ending(r *runner.Result, counted *view.Narrator, dir string, colors term.Painter) string {
	var p page
	for _, line := range counted.Ending(r, dir+"/outputs", func(e *steps.Error) string {
		if needsRerun(r.Error) {
			return e.Hint // the last line has the command
		}
		return Hinted(e).Hint
	}) {
		p.line("%s", line.Painted(colors.Paint))
	}
	if counted.Unasked {
		p.line("hint: %s", hintAsk)
	}
	if r.Answered > 0 && len(r.Waiting) > 0 {
		p.line("flow recorded %s", quantity.Count(r.Answered, "answer"))
	}
	p.lines(Waits(r.Waiting, RunName(dir)))
	if !journal.IsRun(dir) {
		p.line("run folder: %s, which was removed or replaced: the run can't be resumed", term.Visible(dir))
		return p.String()
	}
	p.line("run folder: %s", term.Visible(dir))
	if hint := HintNext(RunName(dir), r, view.Shortfalls(r)); hint != "" {
		p.line("%s", hint)
	}
	return p.String()
}
