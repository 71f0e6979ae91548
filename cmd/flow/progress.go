package main

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
)

// A progress shows the events of a run while they happen.
type progress interface {
	// event shows one event. Events come one at a time.
	event(e runner.Event)

	// aside runs what needs the terminal to itself.
	aside(f func())

	// end takes away what is not meant to stay, and returns what was counted.
	end() *tallies
}

// plain shows a line for each event that a person would want.
type plain struct {
	*narrator
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

func (p *plain) end() *tallies { return p.tallies }

// silent counts, and shows nothing.
type silent struct{ *tallies }

func (s silent) event(e runner.Event) { s.take(e) }

func (s silent) aside(f func()) { f() }

func (s silent) end() *tallies { return s.tallies }
