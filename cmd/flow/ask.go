package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// What --on-ask can say.
const (
	askDeny  = "deny"
	askAllow = "allow"
	askFail  = "fail"
	askWait  = "wait"
)

// openTerminal opens the terminal that flow was started from, unless a CI system is
// there in place of a person.
func (s *session) openTerminal() {
	if s.env("CI") != "" {
		return
	}
	if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		s.tty = tty
		s.closers = append(s.closers, tty.Close)
	}
}

// later reports whether calls that have to be asked for wait: as the command line
// says, or else the run that is gone on with where nobody is there.
func (s *session) later() bool {
	if s.flags.onAsk.given {
		return s.flags.onAsk.value == askWait
	}
	return s.tty == nil && s.resumed != nil && s.resumed.Options.Later
}

// findAskers finds who is asked: the person at the terminal, unless the command line
// answers already.
func (s *session) findAskers() {
	word := s.flags.onAsk.value
	s.ask, s.again = always(askDeny, view.Unasked), always(askFail, "")
	if s.tty != nil {
		s.person = newPerson(s.tty, s.workflow.Name, s.show)
		s.ask = s.person.ask
		if s.resumed != nil && len(s.resumed.answers) == 0 {
			s.again = s.person.again
		}
	}
	switch {
	case s.later():
		s.ask, s.again = always(askDeny, view.Unkept), always(askFail, "")
	case s.flags.onAsk.given:
		s.ask = always(word, "--on-ask is "+word)
		s.again = s.ask
	}
}

// question asks what a step asks, of the person at the terminal.
func (s *session) question(ctx context.Context, q *runner.Question) (any, error) {
	return s.person.question(ctx, q)
}

// always gives the same answer to every question, and to a denial the reason.
func always(answer, reason string) tools.Asker {
	return func(_ context.Context, tool string, arguments json.RawMessage, d tools.Decision) (tools.Decision, error) {
		switch answer {
		case askAllow:
			d.Verdict = tools.Allow
			return d, nil
		case askFail:
			d.Verdict = tools.Deny
			return d, &steps.Error{
				Kind: steps.KindDenied, Message: fmt.Sprintf("%s has to be asked for, and --on-ask is fail", view.Call(tool, arguments)),
				Hint: "allow it by a rule, or run on a terminal",
			}
		}
		return d.Deny(reason, reason), nil
	}
}
