package report

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// A Progress shows the events of a run while they happen.
type Progress interface {
	// Event shows one event. Events come one at a time.
	Event(e runner.Event)

	// Aside runs a function that needs the terminal to itself.
	Aside(f func())

	// End removes the live view, and returns the counts.
	End() *view.Narrator
}

// A teller puts a narrator's lines in colours.
type teller struct {
	*view.Narrator
	paint func(view.Tone, string) string
}

func newTeller(colors term.Painter, detail view.Detail) *teller {
	t := &teller{Narrator: new(view.Narrator), paint: painted(colors)}
	t.Detail = detail
	return t
}

func (t *teller) lines(e runner.Event) []string {
	var lines []string
	for _, line := range t.Lines(e) {
		lines = append(lines, line.Painted(t.paint))
	}
	return lines
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

// NewLines returns a progress that writes lines.
func NewLines(to *term.Screen, colors term.Painter, detail view.Detail) Progress {
	return &plain{teller: newTeller(colors, detail), to: to}
}

// NewSilent returns a progress that counts, and shows nothing.
func NewSilent() Progress { return silent{new(view.Narrator)} }

// plain shows a line for each event that a person would want.
type plain struct {
	*teller
	to *term.Screen
}

func (p *plain) Event(e runner.Event) {
	if lines := p.lines(e); len(lines) > 0 {
		p.to.Write([]byte(strings.Join(lines, "\n") + "\n"))
	}
}

func (p *plain) Aside(f func()) {
	p.to.Flush()
	f()
}

func (p *plain) End() *view.Narrator { return p.Narrator }

// silent counts, and shows nothing.
type silent struct{ *view.Narrator }

func (s silent) Event(e runner.Event) { s.Take(e) }

func (s silent) Aside(f func()) { f() }

func (s silent) End() *view.Narrator { return s.Narrator }
