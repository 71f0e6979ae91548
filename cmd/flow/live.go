package main

import (
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
)

// A live view keeps, under the lines of a [narrator], a few lines of what is
// running.
type live struct {
	*narrator
	block *term.Block // guards the narrator, too
}

// newLive starts to draw. It is the caller's to end the view.
func newLive(to *term.Screen, paint term.Painter) *live {
	l := &live{narrator: newNarrator(paint)}
	l.block = term.NewBlock(to, paint, l.running)
	return l
}

func (l *live) event(e runner.Event) {
	l.block.Put(func() []string {
		lines := l.lines(e)
		switch {
		case e.Type == runner.RunStarted:
			l.run.began = e.Time
		case e.Type == runner.StepStarted:
			return nil // the block tells it
		}
		return lines
	})
}

func (l *live) aside(f func()) { l.block.Aside(f) }

func (l *live) end() *tallies {
	l.block.End()
	return l.tallies
}

// running is what runs now, on a third of the terminal's rows, and what all has
// come to. A terminal of few rows would scroll a part of it out of reach: it has
// none.
func (l *live) running(now time.Time, rows int) []string {
	const fewest = 6 // two places, the others, all, and the line below
	if rows < fewest {
		return nil
	}
	most := max(rows/3, 2)
	places := len(l.order)
	var lines []string
	for _, place := range l.order[:min(places, most)] {
		lines = append(lines, row(term.Visible(place), l.places[place], now))
	}
	if more := places - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("  … and %d more", more))
	}
	if places > 1 {
		lines = append(lines, row("all", &l.run, now))
	}
	return lines
}

// row is one place: for how long it runs, what it does, what it has come to.
func row(name string, t *tally, now time.Time) string {
	row := "  " + term.Pad(name, 24) + " " + term.Pad(took(since(t.began, now)), 6)
	if doing := t.doing(); doing != "" {
		row += " " + doing
	}
	if amounts := t.amounts(); amounts != "" {
		row += " (" + amounts + ")"
	}
	return row
}
