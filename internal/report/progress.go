package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/columns"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// A Progress shows the events of a run while they happen, and counts them.
type Progress struct {
	view.Narrator
	to     *term.Screen
	colors term.Painter
	block  *term.Block // the running units below the lines, or nil; it guards the narrator
}

// NewProgress returns a progress that writes a line for each event that a person would want. If it is
// live, it also draws the running units on a terminal, below its lines. The caller ends it.
func NewProgress(to *term.Screen, colors term.Painter, detail view.Detail, live bool) *Progress {
	p := &Progress{to: to, colors: colors}
	p.Detail, p.InPlace = detail, live
	if live {
		p.block = term.NewBlock(to, colors, p.running)
	}
	return p
}

// Event shows one event. Events come one at a time.
func (p *Progress) Event(e runner.Event) {
	if p.block != nil {
		p.block.Put(func() []string { return p.lines(e) })
		return
	}
	if lines := p.lines(e); len(lines) > 0 {
		p.to.Write([]byte(strings.Join(lines, "\n") + "\n"))
	}
}

func (p *Progress) lines(e runner.Event) []string {
	var lines []string
	for _, line := range p.Lines(e) {
		lines = append(lines, line.Painted(p.colors.Paint))
	}
	return lines
}

// Pause runs a function that needs the terminal to itself.
func (p *Progress) Pause(f func()) {
	if p.block != nil {
		p.block.Pause(f)
		return
	}
	f()
}

// End removes the running units, and returns the counts.
func (p *Progress) End() *view.Narrator {
	if p.block != nil {
		p.block.End()
	}
	return &p.Narrator
}

// running shows the running units on a third of the terminal's rows. It shows nothing on a
// terminal with few rows, which would scroll a part of it out of reach.
func (p *Progress) running(now time.Time, wide, rows int) []string {
	const fewest = 6 // two units, the others, all, and the line below
	if rows < fewest {
		return nil
	}
	return runningLines(p.Running(), p.Counts, p.Began, now, max(rows/3, 2), wide)
}

// runningLines lists the running units, up to a maximum, and the counts of the whole run. What a
// unit does now is last, where lines are cut at the columns of a terminal; 0 is any number.
func runningLines(units []*view.Unit, all view.Counts, began, now time.Time, maxUnits, wide int) []string {
	maxName := 48
	if wide > 0 {
		maxName = min(maxName, max(wide/4, 20))
	}
	var t table
	row := func(name string, began time.Time, parts ...string) {
		took := time.Duration(0)
		if !began.IsZero() {
			took = now.Sub(began)
		}
		t.row("  "+columns.Fit(name, maxName), view.Took(took), strings.TrimSpace(strings.Join(parts, " ")))
	}
	for _, u := range units[:min(len(units), maxUnits)] {
		if u.Elements != nil {
			row(u.Name(), u.Began, u.Doing(now), inBrackets(u.Counts))
		} else {
			row(u.Name(), u.Began, inBrackets(u.Counts), u.Doing(now))
		}
	}
	if more := len(units) - len(t); more > 0 {
		t.row(fmt.Sprintf("  … and %d more", more))
	}
	if len(units) > 1 {
		row("all", began, inBrackets(all))
	}
	return t.lines(wide)
}

func inBrackets(counts view.Counts) string {
	if text := counts.String(); text != "" {
		return "(" + text + ")"
	}
	return ""
}
