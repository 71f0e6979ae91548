// Package tools says what a tool is: a specification that a model is shown,
// arguments that are checked against it, effects, a result. A [Set] holds the
// tools of one step and wraps every call alike: arguments are checked, the
// guard decides, the output is masked and truncated.
//
//	set, err := tools.NewSet([]tools.Entry{{Tool: greet}}, tools.SetOptions{Guard: guard})
//	call := set.Prepare("greet", json.RawMessage(`{"name": "Ada"}`))
//	answer, err := call.Run(ctx)
//
// The packages below this one hold one family of tools each. None of them is
// imported here.
package tools

import (
	"context"
	"encoding/json"
	"strings"
)

// A Tool is something that a model can call. It is safe for concurrent use.
type Tool interface {
	Spec() Spec

	// Effects returns what a call with these arguments, which fit the
	// specification, reads and writes. It decides nothing but which calls may
	// run side by side.
	Effects(arguments json.RawMessage) Effects

	// Run writes to out what the model is to see. A call that did not do what
	// it was asked for is a Result that has Failed set; an error is for what
	// the model can't mend: a context that ended, a broken disk.
	Run(ctx context.Context, arguments json.RawMessage, out *Output) (Result, error)
}

// A Spec says to a model what a tool is for and what arguments it takes.
type Spec struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of an object

	// Keep is the part of a long output that is kept where nothing else is
	// said: the head for files and searches, both ends for commands.
	Keep Keep
}

// A Result is how a call ended.
type Result struct {
	Failed bool

	// Denied is why nothing came of the call, where the guard's rules denied what
	// it did. It has failed then.
	Denied *Decision

	// Note follows the output, and is never cut: an exit code, what stopped
	// the call.
	Note string
}

// A Verdict is what a guard says of a call.
type Verdict string

// The verdicts. The zero value is taken for Deny.
const (
	Allow Verdict = "allow"
	Ask   Verdict = "ask"
	Deny  Verdict = "deny"
)

// A Decision is a verdict, the rule that made it, and why, in a sentence for
// the model and the user.
type Decision struct {
	Verdict Verdict
	Rule    string
	Reason  string
}

// Deny turns the decision into a denial for one more reason. Who denied is named
// beside the rule that had asked, unless it is "".
func (d Decision) Deny(reason, who string) Decision {
	d.Verdict = Deny
	if d.Reason != "" {
		reason = strings.TrimSuffix(d.Reason, ".") + "; " + reason
	}
	d.Reason = reason
	if who != "" {
		d.Rule = strings.TrimPrefix(d.Rule+", "+who, ", ")
	}
	return d
}

// A Guard decides whether a call may run. It is safe for concurrent use.
type Guard interface {
	Decide(ctx context.Context, tool string, arguments json.RawMessage) Decision

	// Offered reports whether there are arguments that the guard would let
	// through.
	Offered(tool string) bool
}

// An Asker asks somebody about a call whose verdict is [Ask], and says what
// they answered: Allow or Deny. It watches ctx.
type Asker func(ctx context.Context, tool string, arguments json.RawMessage, d Decision) (Decision, error)
