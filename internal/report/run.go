// Package report writes the texts that commands print: a run in progress ([Progress]), a run
// that has ended ([Run]), one of its units ([Unit]), a list of runs ([Runs]), two runs side by
// side ([Comparison]), test cases ([Cases]), models ([Models]), tools ([ToolList]), the
// decision on a call ([Explanation]), a machine ([Health]) and the mistakes in files
// ([Diagnostics]). Package runner/view does the counting. Hints name the commands and flags of
// the program.
//
// Nothing in a report acts on a terminal, but for [Comparison], which says so.
package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/columns"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A runReport writes the report of a run from its journal: first the failures, then the cost,
// then each step.
type runReport struct {
	*view.Past
	page
	dir string
}

// maxRunning is how many running units are listed.
const maxRunning = 20

// Run is the report of the run in a folder, for a person.
func Run(past *view.Past, dir string) string {
	p := &runReport{Past: past, dir: dir}
	p.head()
	p.failures()
	p.lines(p.Denials)
	if p.Unasked {
		p.line("hint: %s", hintAsk)
	}
	p.lines(Waits(p.Result.Waiting, RunName(p.dir)))
	p.costly()
	p.line("steps:")
	for _, step := range p.Steps {
		p.step(step)
	}
	if p.State != view.Running {
		for _, path := range p.Result.NotBegun {
			p.line("  %s not begun", columns.Pad(term.Visible(path), 20))
		}
	}
	p.nested()
	running := runningLines(p.Now, time.Now(), maxRunning, 0)
	if len(running) > 0 {
		p.line("running now:")
	}
	for _, line := range running {
		p.line("%s%s", line.name, line.text)
	}
	p.tail()
	return p.page.String()
}

// head names the run and its status.
func (p *runReport) head() {
	state, took := p.Outcome(), " in "
	switch {
	case p.State == view.Running:
		state, took = "running for "+view.Took(time.Since(p.Began)), ""
	case p.State == "":
		state, took = "its journal is broken", " after "
	case p.State == view.CutOff:
		state, took = "cut off", " after "
	case p.State == view.State(steps.Waiting):
		state, took = "waiting for answers", ""
	case state != string(p.State):
		took = ", after "
	}
	if took != "" {
		took += view.Took(p.Took)
	}
	p.line("run %s of workflow \"%s\": %s%s", term.Visible(p.ID), term.Visible(p.Workflow), term.Visible(state), took)
	if p.Broken != "" {
		p.line("warning: the journal is broken, and what comes after that is not shown: %s", view.Brief(p.Broken))
	}
}

// failures says why the run failed and, if that is something else, what failed first.
func (p *runReport) failures() {
	failure := p.Result.Error
	if failure != nil && view.Raises(failure.Hint) { // the last line says it
		p.hinted = map[string]bool{Hinted(&failure.Error).Hint: true}
	}
	if first := p.Failed; first != nil && (failure == nil || !strings.HasPrefix(failure.Message+" ", first.Message+" ")) {
		where := fmt.Sprintf("the first failure was that of step \"%s\", after %s: ", named(first.Unit, first.Label), view.Took(first.Time.Sub(p.Began)))
		p.failure("", where, &first.Error, true)
	}
	if failure == nil {
		return
	}
	where := "reason: "
	if failure.Step != "" {
		where = fmt.Sprintf("step \"%s\" %s: ", term.Visible(failure.Step), view.EndedBy(failure.Kind))
	}
	e := failure.Error
	if needsRerun(failure) { // the last line has the command
		e.Option = ""
	}
	p.failure("", where, &e, true)
}

// named is a unit with the label of its element.
func named(unit, label string) string { return (&view.Unit{Place: unit, Label: label}).Name() }

// costly names the most expensive units, if there are many.
func (p *runReport) costly() {
	const few = 3
	if len(p.Costly) <= few {
		return
	}
	p.line("used most:")
	var t table
	for _, s := range p.Costly {
		t.row("  "+s.Name(), fmt.Sprintf("%s in %s", s.Counts, view.Took(s.Took)))
	}
	p.lines(t.lines(0))
}

// step writes a step's line, and its failures below it.
func (p *runReport) step(s *view.Unit) {
	status := cmp.Or(string(s.Status), map[view.State]string{view.Running: "runs", "": "unknown"}[p.State], "cut off")
	status = term.Visible(view.StatusWord(steps.Status(status), s.Continued))
	line := fmt.Sprintf("  %s %s", columns.Pad(term.Visible(s.Place), 20), columns.Pad(status, 9))
	if counts := s.Counts.String(); counts != "" {
		line += " " + counts
	}
	result := cmp.Or(s.Result, &runner.StepResult{})
	if r := result.StopReason; r != "" && r != steps.ReasonCompleted && r != steps.ReasonError && string(r) != status {
		line += " [" + term.Visible(string(r)) + "]"
	}
	if s.Agent != "" {
		line += ", agent " + term.Visible(s.Agent)
	}
	p.line("%s", line)
	if result.Rounds > 1 {
		p.line("      it ended in round %d", result.Rounds)
	}
	if e := p.Result.Error; result.Error != nil && (e == nil || e.Message != result.Error.Message) {
		p.failure("      ", "error: ", result.Error, false)
	}
	if c := result.Counts; c != nil && c.LeftOut > 0 {
		p.line("      its when left out %s of %s", quantity.Thousands(c.LeftOut), quantity.Count(c.Total+c.LeftOut, "element"))
	}
	p.elements(s)
}

// elements counts the elements of a foreach by their outcomes.
func (p *runReport) elements(s *view.Unit) {
	e := s.Elements
	if e == nil {
		return
	}
	switch {
	case p.State == view.CutOff && e.Ended < e.Of:
		p.line("      %s of %s ended", quantity.Thousands(e.Ended), quantity.Count(e.Of, "element"))
	case e.Failed > 0 && p.State != view.CutOff:
		p.line("      %s", failedOf(e.Failed, e.Of, e.Reasons))
	}
	if s.Result != nil && s.Result.Counts != nil && s.Result.Counts.NotBegun > 0 {
		p.line("      %s did not start", quantity.Count(s.Result.Counts.NotBegun, "element"))
	}
	for _, t := range s.Troubles {
		units := strings.Join(append([]string{named(t.Unit, t.Label)}, t.Also...), ", ")
		if more := t.Times - 1 - len(t.Also); more > 0 {
			units += fmt.Sprintf(" and %s more", quantity.Thousands(more))
		}
		p.failure("      ", units+" "+view.Reasons{t.Error.Kind: 1}.Verb()+": ", &t.Error, false)
	}
	if s.Untold > 0 {
		p.line("      … and %s more failed with other errors", quantity.Thousands(s.Untold))
	}
}

// nested lists the failures inside elements.
func (p *runReport) nested() {
	shown := map[string]bool{}
	for _, s := range p.Steps {
		shown[s.Place] = true
	}
	for _, short := range p.Short {
		if !shown[short.Step] {
			p.line("  %s %s", columns.Pad(term.Visible(short.Step), 20), failedOf(short.Failed, short.Of, short.Reasons))
		}
	}
}

// failedOf says how many of some elements failed, and why; of a step inside of elements, in how many.
func failedOf(failed, of int, reasons view.Reasons) string {
	text := reasons.Verb() + " in " + quantity.Count(failed, "element")
	if of > 0 {
		text = fmt.Sprintf("%s of %s %s", quantity.Thousands(failed), quantity.Count(of, "element"), reasons.Verb())
	}
	return text + " (" + term.Visible(reasons.String()) + ")"
}

// tail writes the last lines: the usage of the run, and hints.
func (p *runReport) tail() {
	for _, warning := range p.Warned {
		p.line("warning: %s", warning)
	}
	if list, isList := p.Result.Findings.([]any); isList {
		p.line("%s", quantity.Count(len(list), "finding"))
	}
	used := "tokens: " + quantity.Thousands(p.Tokens)
	if !p.Result.Finished.IsZero() {
		used = fmt.Sprintf("tokens: %s in, %s out", quantity.Thousands(p.Result.Usage.InputTokens), quantity.Thousands(p.Result.Usage.OutputTokens))
	}
	cost := "cost: " + quantity.Dollars(p.Cost.USD)
	if !p.Cost.Known {
		cost = view.NoPrice(p.Unpriced)
	}
	p.line("%s; %s", used, cost)
	if line := view.TruncatedLine(p.Result.Steps, filepath.Join(p.dir, "outputs")); line != "" {
		p.line("%s", term.Visible(line))
	}
	p.line("run folder: %s", term.Visible(p.dir))
	for _, c := range Next(p.Past, p.dir) {
		p.line("%s", c)
	}
}

// Next returns what can be done next about a run.
func Next(p *view.Past, dir string) (all []Command) {
	if p.Broken != "" { // no command reads it
		return nil
	}
	run := RunName(dir)
	if p.Failed != nil {
		all = append(all, Command{"to see the first failure", "flow show " + ShellQuote(run) + " " + ShellQuote(p.Failed.Unit)})
	}
	if p.State != view.Running {
		all = append(all, next(run, &p.Result, steps.Status(p.State), p.Short)...)
	}
	return all
}

// RunName is the argument of flow show and flow resume for the run in a folder.
func RunName(dir string) string {
	if filepath.Dir(dir) != host.RunsFolder {
		return dir
	}
	return filepath.Base(dir)
}
