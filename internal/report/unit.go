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
	begun map[string]begunCall // by the ids of calls
}

// A begunCall has begun, under a rule.
type begunCall struct {
	at   time.Time
	rule string
}

// Unit is the report of a unit of the run in a folder, for a person. Whole does not shorten its
// texts.
func Unit(u *view.UnitPast, dir string, whole bool) (string, error) {
	p := &unitReport{UnitPast: u, dir: dir, whole: whole, last: u.Began, begun: map[string]begunCall{}}
	p.head()
	if err := p.work(); err != nil {
		return "", err
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
	p.others()
	return p.String(), nil
}

// text writes a text on lines of its own; the first ones if there are many.
func (p *unitReport) text(text string) { p.some(text, view.Quoted) }

// some writes a text on lines of its own. Unless the report is whole, shown picks some.
func (p *unitReport) some(text string, shown func(string) []string) {
	if !p.whole {
		p.lines(shown(text))
		return
	}
	for line := range strings.Lines(term.VisibleLines(strings.TrimRight(text, "\n"))) {
		p.line("  | %s", strings.TrimRight(line, "\n"))
	}
}

// head names the unit and its status.
func (p *unitReport) head() {
	state := "has not ended"
	if r := p.Result; r != nil {
		state = view.StatusWord(r.Status, p.Continued)
		if r.Duration != nil && p.Continued {
			state += ","
		}
		if r.Duration != nil {
			state += " in " + view.Took(time.Duration(*r.Duration)*time.Millisecond)
		}
		if counts := view.CountsOf(r).String(); counts != "" {
			state += ", " + counts
		}
	}
	p.line("%s of run %s: %s", named(p.Unit.String(), p.Label), term.Visible(p.Start.RunID), term.Visible(state))
	if r := p.Result; r != nil && r.Error != nil {
		e := Hinted(r.Error)
		p.line("error: %s (%s)", view.Shortest(e.Message), term.Visible(e.Kind.Words()))
		if e.Hint != "" {
			p.line("hint: %s", view.Brief(e.Hint))
		}
	}
}

// work shows the work of the unit.
func (p *unitReport) work() error {
	w, err := p.Work()
	if err != nil || w == nil {
		return err
	}
	switch {
	case w.Agent != nil:
		p.line("model: %s", term.Visible(strings.Join(w.Agent.Models, ", ")))
		if w.Agent.System != "" {
			p.line("system:")
			p.text(w.Agent.System)
		}
		p.line("prompt:")
		p.text(w.Agent.Prompt)
	case w.Question != nil && len(p.Waits) == 0:
		p.line("question:")
		p.text(w.Question.Text)
	case w.Script != nil:
		p.line("script:")
		p.text(w.Script.Source)
		for _, value := range w.Script.Values {
			p.line("  %s=%s", value.Name, view.Brief(value.Value))
		}
	case len(w.Tools) > 0:
		p.line("call: %s", view.Call(w.Tools[0].Name, w.Arguments))
	}
	return nil
}

// fact writes one thing that happened.
func (p *unitReport) fact(f view.Fact) error {
	switch f.Kind {
	case journal.Said:
		return p.said(f)
	case journal.Called:
		var intent steps.Intent
		_ = json.Unmarshal(f.Data, &intent) // no rule is known if it is lost
		p.begun[f.Call] = begunCall{f.Time, intent.Rule}
	case journal.Answer:
		return p.answer(f)
	case journal.Answered:
		return p.answered(f)
	case journal.Again:
		p.line("retried: %s", term.Visible(f.Reason))
	case journal.Warned:
		var w journal.Warning
		if err := json.Unmarshal(f.Data, &w); err != nil {
			return err
		}
		p.line("warning: %s", view.Brief(strings.Trim(w.Message+": "+w.Error, ": ")))
	case journal.Decided:
		return p.decided(f)
	}
	return nil
}

// answered writes the answer of a person.
func (p *unitReport) answered(f view.Fact) error {
	var reply journal.Reply
	if err := json.Unmarshal(f.Data, &reply); err != nil {
		return err
	}
	line := "answered by a person"
	switch {
	case f.Call != "" || reply.Value == nil && reply.By == "":
		line = map[bool]string{true: "approved by a person", false: "denied by a person"}[reply.Allowed]
	case reply.By == journal.ByTime && reply.Value != nil:
		line = "no answer in time, the default is used"
	case reply.By == journal.ByTime:
		line = "no answer in time"
	case reply.Value == nil:
		line = "no answer by a person"
	}
	if f.Call != "" {
		line = "call " + term.Visible(f.Call) + " " + line
	} else if reply.Value != nil {
		line += ": " + view.Brief(string(reply.Value))
	}
	p.line("%s", line)
	return nil
}

// decided writes the result of a condition or a check.
func (p *unitReport) decided(f view.Fact) error {
	switch f.About {
	case journal.If:
		p.line("if: %v", f.Holds)
	case journal.Until:
		p.line("until, after round %d: %v", f.Count, f.Holds)
	case journal.Inner:
		if len(f.Data) == 0 {
			p.line("a request was in flight when flow was killed: %s counted, the most that it may have used", used(f.Spent))
			return nil
		}
		var inner steps.Fact
		if err := json.Unmarshal(f.Data, &inner); err != nil {
			return err
		}
		if c := inner.Check; c != nil && c.Problem == "" {
			p.line("checks: all passed")
		} else if c != nil {
			p.line("check:")
			p.some(c.Problem, view.Ended)
		}
	}
	return nil
}

func used(a journal.Amount) string {
	return view.Counts{Tokens: a.Tokens, CostUSD: a.CostUSD}.String()
}

// said writes an answer of the model.
func (p *unitReport) said(f view.Fact) error {
	var said steps.Said
	if err := json.Unmarshal(f.Data, &said); err != nil {
		return err
	}
	line := fmt.Sprintf("turn %d, %s", said.Turn, view.Took(f.Time.Sub(p.last)))
	if used := used(f.Spent); used != "" {
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
			if block.Text != "" {
				p.line("  thinking:")
				p.text(block.Text)
			}
		case providers.BlockText:
			p.text(block.Text)
		case providers.BlockToolCall:
			p.line("  calls %s", p.call(block))
		}
	}
	return nil
}

// call is a call. If the report is whole, it has all arguments.
func (p *unitReport) call(block providers.Block) string {
	if p.whole {
		return term.Visible(block.Name + " " + string(block.Arguments))
	}
	return view.Call(block.Name, block.Arguments)
}

// answer writes the result of a call, and its rule.
func (p *unitReport) answer(f view.Fact) error {
	var a steps.CallAnswer
	if err := json.Unmarshal(f.Data, &a); err != nil {
		return err
	}
	call := "?"
	if a.Place >= 0 && a.Place < len(p.calls) {
		call = view.Call(p.calls[a.Place].Name, p.calls[a.Place].Arguments)
	}
	line := fmt.Sprintf("  %s: %s", call, term.Visible(string(a.Status)))
	began, known := p.begun[f.Call]
	if known {
		line += " in " + view.Took(f.Time.Sub(began.at))
	}
	rule := strings.Trim(a.Rule+": "+a.Reason, ": ")
	if rule = cmp.Or(rule, began.rule); rule != "" {
		line += " (" + view.Brief(rule) + ")"
	}
	delete(p.begun, f.Call)
	p.line("%s", line)
	p.text(a.Content)
	if a.Whole != "" {
		p.line("  full output: %s", term.Visible(filepath.Join(p.dir, "outputs", filepath.Base(a.Whole))))
	}
	return nil
}

// result writes the result of the unit.
func (p *unitReport) result() {
	r := p.Result
	if r == nil || r.Counts != nil {
		return
	}
	text := runner.Text(r.Output)
	if text == "" {
		text = r.Text
	}
	if text != "" {
		p.line("result:")
		p.text(text)
	}
	if r.Stderr != "" {
		p.line("stderr:")
		p.some(r.Stderr, view.Ended)
	}
}

// inside lists the units inside the unit, those that did not succeed first.
func (p *unitReport) inside() {
	const maxListed = 50
	succeeded := func(in view.InsideUnit) bool { return in.Status == steps.Succeeded || in.Status == steps.Skipped }
	units := slices.DeleteFunc(slices.Clone(p.Inside), succeeded)
	for _, in := range p.Inside {
		if succeeded(in) {
			units = append(units, in)
		}
	}
	more := 0
	if !p.whole {
		more = max(0, len(units)-maxListed)
	}
	var t table
	for _, in := range units[:len(units)-more] {
		status := cmp.Or(view.StatusWord(in.Status, in.Continued), "has not ended")
		if in.Reason != "" {
			status += " (" + steps.Kind(in.Reason).Words() + ")"
		}
		t.row("  "+named(in.Unit, in.Label), term.Visible(status))
	}
	p.WriteString(t.String())
	if more > 0 {
		p.line("  … and %d more; to list them all: --output jsonl", more)
	}
}

// others names the other rounds and attempts.
func (p *unitReport) others() {
	for _, u := range p.Others {
		p.line("see also: flow show %s %s", ShellQuote(RunName(p.dir)), ShellQuote(u.String()))
	}
}
