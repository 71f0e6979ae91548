package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// What --on-ask can say.
const (
	askDeny  = "deny"
	askAllow = "allow"
	askFail  = "fail"
)

// asker returns who is asked about a call: the person at the terminal that flow
// was started from, unless the command line answers already, there is no
// terminal, or a CI system is there in place of a person.
func (s *session) asker() (tools.Asker, func()) {
	if s.flags.onAsk.given {
		return always(s.flags.onAsk.value, "--on-ask is "+s.flags.onAsk.value), func() {}
	}
	if s.env("CI") == "" {
		if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
			a := newPerson(tty, s.workflow.Name, s.show, s.pending.Place)
			return a.ask, func() { tty.Close() }
		}
	}
	return always(askDeny, view.Unasked), func() {}
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
