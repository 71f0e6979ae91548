package report

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// A Progress shows the events of a run while they happen, and counts them.
type Progress struct {
	view.Narrator
	to    *term.Screen
	paint func(view.Tone, string) string
	block *term.Block // the running units below the lines, or nil; it guards the narrator
}

// NewLines returns a progress that writes a line for each event that a person would want.
func NewLines(to *term.Screen, colors term.Painter, detail view.Detail) *Progress {
	p := &Progress{to: to, paint: painted(colors)}
	p.Detail = detail
	return p
}

// NewLive returns a progress that draws the running units on a terminal, below its lines. The
// caller ends it.
func NewLive(to *term.Screen, colors term.Painter, detail view.Detail) *Progress {
	p := NewLines(to, colors, detail)
	p.InPlace = true
	p.block = term.NewBlock(to, colors, p.running)
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
		lines = append(lines, line.Painted(p.paint))
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

// painted returns a function that colours a word by its tone.
func painted(colors term.Painter) func(view.Tone, string) string {
	return func(tone view.Tone, word string) string {
		switch tone {
		case view.Good:
			return colors.Green(word)
		case view.Faint:
			return colors.Dim(word)
		case view.Doubtful:
			return colors.Yellow(word)
		case view.Bad:
			return colors.Red(word)
		}
		return word
	}
}
