package main

import (
	"context"
	"encoding/json"
	"os"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A person is asked at a terminal, one question at a time.
type person struct {
	tty      term.TTY
	workflow string
	show     report.Progress
	place    func(tool string, arguments []byte) string // where a call comes from, "" if that is not known
	discard  func()                                     // drops what was typed and not read
	free     chan struct{}                              // holds a value while a question is asked
}

// newPerson is who sits at a terminal. It does not close it.
func newPerson(terminal *os.File, workflow string, show report.Progress, place func(string, []byte) string) *person {
	return &person{
		tty: terminal, workflow: workflow, show: show, place: place,
		discard: func() { term.DiscardTyped(terminal) }, free: make(chan struct{}, 1),
	}
}

// deniedByPerson is the reason, and who it is of.
const deniedByPerson = "denied by the person at the terminal"

// ask waits for its turn, and for the answer, as long as ctx lasts.
func (a *person) ask(ctx context.Context, tool string, arguments json.RawMessage, d tools.Decision) (tools.Decision, error) {
	question := view.Question(a.workflow, a.place(tool, arguments), tool, arguments, d.Rule)
	if question == "" {
		return d.Deny(view.Unseen, ""), nil
	}
	select {
	case a.free <- struct{}{}:
		defer func() { <-a.free }()
	case <-ctx.Done():
		return d, context.Cause(ctx)
	}
	var yes bool
	var err error
	a.show.Aside(func() { yes, err = a.answer(ctx, question) })
	switch {
	case err != nil:
		return d, err
	case yes:
		d.Verdict = tools.Allow
		return d, nil
	}
	return d.Deny(deniedByPerson, deniedByPerson), nil
}

// mostAnswers is how often a person may give an answer that is none.
const mostAnswers = 3

// answer asks until it is told yes or no. What was typed before the question
// stood there is no answer to it.
func (a *person) answer(ctx context.Context, question string) (yes bool, err error) {
	a.discard()
	for range mostAnswers {
		line, err := term.Ask(ctx, a.tty, question+"Allow it this once? [y/N] ")
		if err != nil {
			return false, err
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return true, nil
		case "", "n", "no":
			return false, nil
		}
		question = "Please answer y or n. "
	}
	return false, nil
}
