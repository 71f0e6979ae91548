package main

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// A progress shows the events of a run while they happen.
type progress interface {
	// event shows one event. Events come one at a time.
	event(e runner.Event)

	// aside runs what needs the terminal to itself.
	aside(f func())

	// end takes away what is not meant to stay, and returns what was counted.
	end() *view.Narrator
}

// A teller puts a narrator's lines in colours.
type teller struct {
	*view.Narrator
	paint func(view.Tone, string) string
}

func newTeller(colors term.Painter) *teller {
	return &teller{Narrator: view.NewNarrator(), paint: painted(colors)}
}

func (t *teller) lines(e runner.Event) []string {
	var lines []string
	for _, line := range t.Lines(e) {
		lines = append(lines, line.Painted(t.paint))
	}
	return lines
}

// painted returns what shows a word in a tone.
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

// plain shows a line for each event that a person would want.
type plain struct {
	*teller
	to *term.Screen
}

func (p *plain) event(e runner.Event) {
	if lines := p.lines(e); len(lines) > 0 {
		p.to.Write([]byte(strings.Join(lines, "\n") + "\n"))
	}
}

func (p *plain) aside(f func()) {
	p.to.Flush()
	f()
}

func (p *plain) end() *view.Narrator { return p.Narrator }

// silent counts, and shows nothing.
type silent struct{ *view.Narrator }

func (s silent) event(e runner.Event) { s.Take(e) }

func (s silent) aside(f func()) { f() }

func (s silent) end() *view.Narrator { return s.Narrator }
