package report

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/columns"
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
	dir   string
	whole bool // texts are not cut short
	out   strings.Builder
	last  time.Time // of the fact before
	calls []providers.Block
	begun map[string]time.Time // calls, by their ids
}

// Unit is the report of a unit of the run in a folder, for a person. Whole does not shorten its
// texts.
func Unit(u *view.UnitPast, dir string, whole bool) (string, error) {
	p := &unitReport{UnitPast: u, dir: dir, whole: whole, last: u.Began, begun: map[string]time.Time{}}
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
	for _, line := range Waits(p.Waits, RunName(p.dir)) {
		p.line("%s", line)
	}
	p.result()
	p.inside()
	p.others()
	return p.out.String(), nil
}

func (p *unitReport) line(format string, args ...any) { fmt.Fprintf(&p.out, format+"\n", args...) }

// text gives a text on lines of its own.
func (p *unitReport) text(text string) { p.lines(text, view.Quoted) }

// lines writes a text on lines of its own. Unless the report is whole, shown picks some.
func (p *unitReport) lines(text string, shown func(string) []string) {
	lines := shown(text)
	if p.whole {
		lines = nil
		for line := range strings.Lines(term.VisibleLines(strings.TrimRight(text, "\n"))) {
			lines = append(lines, "  | "+strings.TrimRight(line, "\n"))
		}
	}
	for _, line := range lines {
		p.line("%s", line)
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
		p.line("error: %s (%s)", view.Shortest(e.Message), term.Visible(string(e.Kind)))
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
		p.begun[f.Call] = f.Time
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
	value := view.Brief(string(reply.Value))
	var line string
	switch {
	case f.Call != "" || reply.Value == nil && reply.By == "":
		line = map[bool]string{true: "approved by a person", false: "denied by a person"}[reply.Allowed]
	case reply.By == journal.ByTime && reply.Value == nil:
		line = "no answer in time"
	case reply.By == journal.ByTime:
		line = "no answer in time, the default is used: " + value
	case reply.Value == nil:
		line = "no answer by a person"
	default:
		line = "answered by a person: " + value
	}
	if f.Call != "" {
		line = "call " + term.Visible(f.Call) + " " + line
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
			p.lines(c.Problem, view.Ended)
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
		p.line("  error: %s (%s)", view.Brief(e.Message), term.Visible(string(e.Kind)))
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
	if began, known := p.begun[f.Call]; known {
		line += " in " + view.Took(f.Time.Sub(began))
	}
	if rule := p.rule(f, a); rule != "" {
		line += " (" + view.Brief(rule) + ")"
	}
	p.line("%s", line)
	p.text(a.Content)
	if a.Whole != "" {
		p.line("  full output: %s", term.Visible(filepath.Join(p.dir, "outputs", filepath.Base(a.Whole))))
	}
	return nil
}

// rule is the rule that denied or allowed a call.
func (p *unitReport) rule(f view.Fact, a steps.CallAnswer) string {
	if a.Rule != "" || a.Reason != "" {
		return strings.Trim(a.Rule+": "+a.Reason, ": ")
	}
	for _, before := range p.Facts {
		var intent steps.Intent
		if before.Kind == journal.Called && before.Call == f.Call && json.Unmarshal(before.Data, &intent) == nil && intent.Turn == a.Turn {
			return intent.Rule
		}
	}
	return ""
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
		p.lines(r.Stderr, view.Ended)
	}
}

// inside lists the units inside the unit, those that did not succeed first.
func (p *unitReport) inside() {
	const most = 50
	listed := 0
	for _, good := range []bool{false, true} {
		for _, in := range p.Inside {
			if good != (in.Status == steps.Succeeded || in.Status == steps.Skipped) {
				continue
			}
			if listed++; listed > most && !p.whole {
				p.line("  … and %d more; to list them all: --output jsonl", len(p.Inside)-most)
				return
			}
			status := view.StatusWord(in.Status, in.Continued)
			if status == "" {
				status = "has not ended"
			}
			if in.Reason != "" {
				status += " (" + in.Reason + ")"
			}
			p.line("  %s %s", columns.Pad(named(in.Unit, in.Label), 30), term.Visible(status))
		}
	}
}

// others names the other rounds and attempts.
func (p *unitReport) others() {
	for _, u := range p.Others {
		p.line("see also: flow show %s %s", InShell(RunName(p.dir)), InShell(u.String()))
	}
}
