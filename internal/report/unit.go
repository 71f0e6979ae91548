package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A unitReport writes the report of one unit: its work, each turn, each call with its answer,
// its checks, its result.
type unitReport struct {
	*view.UnitPast
	page
	dir   string
	whole bool                 // texts are not cut short
	last  time.Time            // of the fact before
	calls []providers.Block    // of the last turn
	begun map[string]view.Fact // calls that have begun, by their ids
}

// Unit is the report of a unit of the run in a folder, for a person. Whole does not shorten its
// texts.
func Unit(u *view.UnitPast, dir string, whole bool) (string, error) {
	p := &unitReport{UnitPast: u, dir: dir, whole: whole, last: u.Began, begun: map[string]view.Fact{}}
	p.head()
	w, err := u.Work()
	if err != nil {
		return "", err
	}
	if w != nil {
		p.work(w)
	}
	for _, fact := range u.Facts {
		if err := p.fact(fact); err != nil {
			return "", fmt.Errorf("record %d: %w", fact.Seq, err)
		}
		p.last = fact.Time
	}
	p.lines(Waits(p.Waits, RunName(p.dir)))
	p.result()
	p.inside()
	for _, other := range p.Others {
		p.line("see also: flow show %s %s", ShellQuote(RunName(p.dir)), ShellQuote(other.String()))
	}
	return p.String(), nil
}

// text writes a text, if there is one, on lines of its own below a head. Unless the report is
// whole, some picks the lines of a long text.
func (p *unitReport) text(head, text string, some func(string) []string) {
	if text == "" {
		return
	}
	if head != "" {
		p.line("%s", head)
	}
	if !p.whole {
		p.lines(some(text))
		return
	}
	for line := range strings.Lines(term.VisibleLines(strings.TrimRight(text, "\n"))) {
		p.line("  | %s", strings.TrimRight(line, "\n"))
	}
}

// head names the unit and its status.
func (p *unitReport) head() {
	r, state := p.Result, "has not ended"
	if r != nil {
		state = string(r.Status)
		if r.Duration != nil {
			state += " in " + view.Took(millis(*r.Duration))
		}
		if p.Continued {
			state += ", and the run continued"
		}
		if counts := r.Numbers().String(); counts != "" {
			state += ", " + counts
		}
	}
	p.line("step \"%s\" of run %s: %s", named(p.Unit.String(), p.Label), term.Visible(p.RunID), term.Visible(state))
	if r != nil && r.Error != nil {
		p.failure("", "error: ", r.Error, false)
	}
}

// work shows the work of the unit.
func (p *unitReport) work(w *runner.Work) {
	switch {
	case w.Agent != nil:
		p.line("model: %s", term.Visible(strings.Join(w.Agent.Models, ", ")))
		p.text("system:", w.Agent.System, view.Quoted)
		p.text("prompt:", w.Agent.Prompt, view.Quoted)
	case w.Question != nil && len(p.Waits) == 0:
		p.text("question:", w.Question.Text, view.Quoted)
	case w.Script != nil:
		p.text("script:", w.Script.Source, view.Quoted)
		for _, value := range w.Script.Values {
			p.line("  %s=%s", value.Name, view.Brief(value.Value))
		}
	case len(w.Tools) > 0:
		p.line("call: %s", view.Call(w.Tools[0].Name, w.Arguments))
	}
}

// with writes a fact with its data.
func with[T any](f view.Fact, write func(f view.Fact, data *T)) error {
	data := new(T)
	if err := json.Unmarshal(f.Data, data); err != nil {
		return err
	}
	write(f, data)
	return nil
}

// fact writes one thing that happened.
func (p *unitReport) fact(f view.Fact) error {
	switch f.Kind {
	case journal.Said:
		return with(f, p.said)
	case journal.CallStarted:
		p.begun[f.Call] = f
	case journal.CallEnded:
		return with(f, p.answer)
	case journal.Answered:
		return with(f, p.answered)
	case journal.Again:
		p.line("retried: %s", term.Visible(string(f.ErrorKind)))
	case journal.Warned:
		return with(f, func(_ view.Fact, w *journal.Warning) {
			p.line("warning: %s", view.Brief(strings.Trim(w.Message+": "+w.Error, ": ")))
		})
	case journal.Decided:
		return p.decided(f)
	}
	return nil
}

// answered writes the answer of a person.
func (p *unitReport) answered(f view.Fact, reply *journal.Reply) {
	line := "a person answered"
	switch {
	case f.Call != "" || reply.Value == nil && reply.By == "":
		line = fmt.Sprintf("a person %s the call", map[bool]string{true: "approved", false: "denied"}[reply.Allowed])
		if i := slices.IndexFunc(p.calls, func(b providers.Block) bool { return b.ID == f.Call }); i >= 0 {
			line += " " + p.call(p.calls[i])
		}
	case reply.By == journal.ByTime && reply.Value != nil:
		line = "nobody answered in time, and the default counts"
	case reply.By == journal.ByTime:
		line = "nobody answered in time"
	case reply.Value == nil:
		line = "no person answered"
	}
	if reply.Value != nil {
		line += ": " + view.Brief(string(reply.Value))
	}
	if said := reply.Comment + reply.Reason; said != "" {
		line += ": " + view.Brief(said)
	}
	p.line("%s", line)
}

// decided writes the result of a condition or a check.
func (p *unitReport) decided(f view.Fact) error {
	switch {
	case f.About == journal.If:
		p.line("if: %v", f.Holds)
	case f.About == journal.Until:
		p.line("until, after round %d: %v", f.Count, f.Holds)
	case f.About == journal.Inner && len(f.Data) == 0:
		p.line("a request was in flight when flow was killed: %s counted, the most that it may have used", used(f.Amount()))
	case f.About == journal.Inner:
		return with(f, func(_ view.Fact, inner *steps.Fact) {
			if c := inner.Check; c != nil && c.Problem == "" {
				p.line("checks: all passed")
			} else if c != nil {
				p.text("check:", c.Problem, view.Ended)
			}
		})
	}
	return nil
}

func used(a tools.Amount) string {
	return view.Counts{Tokens: a.Tokens, CostUSD: a.CostUSD}.String()
}

// said writes an answer of the model.
func (p *unitReport) said(f view.Fact, said *steps.Answer) {
	line := fmt.Sprintf("turn %d, %s", said.Turn, view.Took(f.Time.Sub(p.last)))
	if used := used(f.Amount()); used != "" {
		line += ", " + used
	}
	if said.Saved != nil {
		line += ", cached"
	}
	if said.Retries > 0 {
		line += fmt.Sprintf(", after %d retries", said.Retries)
	}
	p.line("%s:", line)
	if e := said.Error; e != nil {
		p.line("  error: %s (%s)", view.Brief(e.Message), term.Visible(steps.Kind(e.Kind).Words()))
	}
	if said.Cut {
		p.line("  interrupted")
	}
	p.calls = said.Message.Calls()
	for _, block := range said.Message.Blocks {
		switch block.Type {
		case providers.BlockThinking:
			p.text("  thinking:", block.Text, view.Quoted)
		case providers.BlockText:
			p.text("", block.Text, view.Quoted)
		case providers.BlockToolCall:
			p.line("  calls %s", p.call(block))
		}
	}
}

// call is a call. If the report is whole, it has all arguments.
func (p *unitReport) call(block providers.Block) string {
	if p.whole {
		return term.Visible(block.Name + " " + string(block.Arguments))
	}
	return view.Call(block.Name, block.Arguments)
}

// answer writes the result of a call, and its rule.
func (p *unitReport) answer(f view.Fact, a *steps.CallEnded) {
	line := "  ?"
	if a.Place >= 0 && a.Place < len(p.calls) {
		line = "  " + view.Call(p.calls[a.Place].Name, p.calls[a.Place].Arguments)
	}
	line += ": " + term.Visible(string(a.Status))
	var intent steps.CallStarted
	if began, known := p.begun[f.Call]; known {
		line += " in " + view.Took(f.Time.Sub(began.Time))
		_ = json.Unmarshal(began.Data, &intent) // no rule is known if it is lost
		delete(p.begun, f.Call)
	}
	if why := cmp.Or(a.Reason, view.ByRule(a.Rule, "denies it"), view.ByRule(intent.Rule, "allows it")); why != "" && !strings.Contains(a.Content, why) {
		line += "; " + view.Brief(why)
	}
	p.line("%s", line)
	p.text("", a.Content, view.Quoted)
	p.fullOutput(f.File)
}

// fullOutput names the file in the folder of the run with all of a text that is cut, if there is one.
func (p *unitReport) fullOutput(file string) {
	if file != "" {
		p.line("  full output: %s", term.Visible(filepath.Join(p.dir, file)))
	}
}

// result writes the result of the unit.
func (p *unitReport) result() {
	if r := p.Result; r != nil && r.Counts == nil {
		p.text("result:", cmp.Or(runner.Text(r.Output), r.Text), view.Quoted)
		p.fullOutput(p.Whole)
		p.text("stderr:", r.Stderr, view.Ended)
	}
}

// inside lists the units inside the unit, those that did not succeed first.
func (p *unitReport) inside() {
	const maxListed = 50
	rank := func(in *view.Row) int {
		if in.Status == string(steps.Succeeded) || in.Status == string(steps.Skipped) {
			return 1
		}
		return 0
	}
	units := slices.SortedStableFunc(slices.Values(p.Inside), func(a, b *view.Row) int { return rank(a) - rank(b) })
	shown := len(units)
	if !p.whole {
		shown = min(shown, maxListed)
	}
	var t table
	for _, in := range units[:shown] {
		status := strings.ReplaceAll(view.StatusWord(steps.Status(in.Status), in.Continued), "_", " ")
		if in.Reason != "" {
			status += " (" + steps.Kind(in.Reason).Words() + ")"
		}
		t.row("  "+named(in.Unit.String(), in.Label), term.Visible(status))
	}
	p.lines(t.lines(0))
	if more := len(units) - shown; more > 0 {
		p.line("  … and %d more; to list them all: --output jsonl", more)
	}
}
