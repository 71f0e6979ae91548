package report

import (
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/columns"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// A live view keeps, under the lines of a narrator, a few lines of what is
// running.
type live struct {
	*teller
	block *term.Block // guards the teller, too
}

// NewLive returns a progress that draws the running units on a terminal, below its lines. The
// caller ends it.
func NewLive(to *term.Screen, colors term.Painter, detail view.Detail) Progress {
	return newLive(to, newTeller(colors, detail), colors)
}

func newLive(to *term.Screen, t *teller, colors term.Painter) *live {
	t.InPlace = true
	l := &live{teller: t}
	l.block = term.NewBlock(to, colors, l.running)
	return l
}

func (l *live) Event(e runner.Event) {
	l.block.Put(func() []string {
		lines := l.lines(e)
		if e.Type == runner.StepStarted {
			return nil // the block tells it
		}
		return lines
	})
}

func (l *live) Aside(f func()) { l.block.Aside(f) }

func (l *live) End() *view.Narrator {
	l.block.End()
	return l.Narrator
}

// running shows the running units on a third of the terminal's rows. It shows nothing on a
// terminal with few rows, which would scroll a part of it out of reach.
func (l *live) running(now time.Time, rows int) []string {
	const fewest = 6 // two units, the others, all, and the line below
	if rows < fewest {
		return nil
	}
	return standing(l.Run.Running(), l.Run.Counts, l.Began, now, max(rows/3, 2))
}

// standing lists the running units, up to a maximum, and the counts of the whole run.
func standing(units []*view.Unit, all view.Counts, began, now time.Time, most int) []string {
	shown, width := units[:min(len(units), most)], 24
	for _, unit := range shown {
		width = min(max(width, len(unit.Name())), 48)
	}
	var lines []string
	for _, unit := range shown {
		wide := width
		if unit.Elements != nil { // how far it is takes the place of a long name
			wide = min(max(len(unit.Name()), 16), width)
		}
		lines = append(lines, row(unit.Name(), wide, unit.Began, now, unit.Doing(now), unit.Counts))
	}
	if more := len(units) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("  … and %d more", more))
	}
	if len(units) > 1 {
		lines = append(lines, row("all", width, began, now, "", all))
	}
	return lines
}

// row is one unit: its time, what it does, and its counts.
func row(name string, width int, began, now time.Time, doing string, counts view.Counts) string {
	var since time.Duration
	if !began.IsZero() {
		since = now.Sub(began)
	}
	row := "  " + columns.Pad(columns.Fit(name, width), width) + " " + columns.Pad(view.Took(since), 6)
	if doing != "" {
		row += " " + doing
	}
	if counts := counts.String(); counts != "" {
		row += " (" + counts + ")"
	}
	return row
}
