package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/person"
	"github.com/a-seed-11b9befa/flow/runner/host"
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

// findAskers finds who is asked: the person at the terminal, unless the command line
// answers already. Calls wait where that says so, or else the run that is gone on with
// where nobody is there.
func (s *session) findAskers(o *host.Options) {
	word, tty := s.flags.onAsk.value, person.Terminal(s.env)
	o.Ask, o.AskAgain = always(askDeny, view.Unasked), always(askFail, "")
	if tty != nil {
		s.closers = append(s.closers, tty.Close)
		someone := person.New(tty, s.workflow.Name, func(ask func()) { s.show.Aside(ask) })
		o.Ask, o.Question = someone.Ask, someone.Question
		if s.resumed != nil && len(s.resumed.answers) == 0 {
			o.AskAgain = someone.Again
		}
	}
	o.Later = tty == nil && s.resumed != nil && s.resumed.Options.Later
	if s.flags.onAsk.given {
		o.Later = word == askWait
		o.Ask = always(word, "--on-ask is "+word)
		o.AskAgain = o.Ask
	}
	if o.Later {
		o.Ask, o.AskAgain = always(askDeny, view.Unkept), always(askFail, "")
	}
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
