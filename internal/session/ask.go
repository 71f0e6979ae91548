package session

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// The answers to calls whose rule is ask.
const (
	Deny  = "deny"
	Allow = "allow"
	Fail  = "fail" // the run
	Wait  = "wait" // until a person answers, by resuming it
)

// findAskers sets who is asked: the person at the terminal, unless OnAsk answers. Calls wait if
// OnAsk says so, or if nobody is at the terminal and the options have Later.
func (s *Session) findAskers() {
	o := &s.Host
	tty := Terminal(s.Env)
	o.Ask, o.AskAgain = always(Deny, "there is no terminal to ask on", view.Unasked), always(Fail, "", "")
	if tty != nil {
		s.closers = append(s.closers, tty.Close)
		someone := newPerson(tty, o.Loaded.Name, func(ask func()) { s.show.Pause(ask) })
		o.Ask, o.Question = someone.Ask, someone.Question
		if o.Resume != nil && len(o.Resume.Answers) == 0 {
			o.AskAgain = someone.Again
		}
	}
	o.Later = tty == nil && o.Later
	if s.OnAsk != "" {
		o.Later = s.OnAsk == Wait
		o.Ask = always(s.OnAsk, "--on-ask is "+s.OnAsk, "--on-ask is "+s.OnAsk)
		o.AskAgain = o.Ask
	}
	if o.Later {
		o.Ask, o.AskAgain = always(Deny, view.Unkept, view.Unkept), always(Fail, "", "")
	}
}

// always gives the same answer to every question. The reason is that of a denial, and who ends its rule.
func always(answer, reason, who string) tools.Asker {
	return func(_ context.Context, tool string, arguments json.RawMessage, d tools.Decision) (tools.Decision, error) {
		switch answer {
		case Allow:
			d.Verdict = tools.Allow
			return d, nil
		case Fail:
			d.Verdict = tools.Deny
			return d, &steps.Error{
				Kind: steps.KindDenied, Message: fmt.Sprintf("%s needs approval, and --on-ask is fail", view.Call(tool, arguments)),
				Hint: "allow it with a rule, or run on a terminal",
			}
		}
		return d.Deny(reason, who), nil
	}
}
