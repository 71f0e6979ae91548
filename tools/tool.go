// Package tools defines what a tool is: a specification for a model, arguments that are
// checked against it, effects, and a result. A [Set] holds the tools of one step. It checks
// the arguments of each call, has a guard decide about it, and masks and truncates its
// output.
//
//	set, err := tools.NewSet([]tools.Entry{{Tool: greet}}, tools.SetOptions{Guard: guard})
//	call := set.Prepare("greet", json.RawMessage(`{"name": "Ada"}`))
//	answer, err := call.Run(ctx)
//
// Each package below this one has a family of tools. This package imports none of them.
package tools

import (
	"context"
	"encoding/json"
	"strings"
)

// Tool is something that a model can call. It is safe for concurrent use.
type Tool interface {
	Spec() Spec

	// Effects returns what a call with these arguments, which are valid by the
	// specification, reads and writes. It only matters for which calls may run at the same
	// time.
	Effects(arguments json.RawMessage) Effects

	// Run runs a call, and writes to out what the model is shown. If the call did not do
	// what it was asked for, the Result is Failed. An error is for what the model can't
	// mend: a cancelled context, a broken disk. It returns when ctx is done: the step, and the
	// run, wait for it.
	Run(ctx context.Context, arguments json.RawMessage, out *Output) (Result, error)
}

// Spec tells a model what a tool is for, and which arguments it has.
type Spec struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of an object

	// Keep is the default for the part of a long output that is kept: the head for files
	// and searches, both ends for commands.
	Keep Keep
}

// Result says how a call ended.
type Result struct {
	Failed bool

	// Denied is why the effects of the call were undone or did not land, if the guard's
	// rules denied them. The call has then failed.
	Denied *Decision

	// Note follows the output, and is never cut: an exit code, or what stopped the call.
	Note string

	// Open says that the call has not come to an end, and has no answer: it waits for a person, or was
	// stopped with the step. It is made again when the conversation continues, and goes on then.
	Open bool

	Spent Amount
}

// An Amount is what requests to models have used, or may use.
type Amount struct {
	Tokens  int64   `json:"tokens"`
	CostUSD float64 `json:"cost_usd"` // as far as prices are known
}

// Plus returns the sum of both.
func (a Amount) Plus(b Amount) Amount { return Amount{a.Tokens + b.Tokens, a.CostUSD + b.CostUSD} }

// Minus returns the difference of both.
func (a Amount) Minus(b Amount) Amount { return Amount{a.Tokens - b.Tokens, a.CostUSD - b.CostUSD} }

// A Continuer is a tool whose calls are made again if the process was killed meanwhile: they go on where
// they were, also if they change something.
type Continuer interface{ Continues() }

type indexKey struct{}

// IndexOf returns the number of a call, from 0, among the valid calls of its tool in a conversation. ctx is
// the one with which the tool runs.
func IndexOf(ctx context.Context) int {
	index, _ := ctx.Value(indexKey{}).(int)
	return index
}

// Fail returns the result of a call that did not do what it was asked for, because of err.
func Fail(err error) (Result, error) { return Result{Failed: true, Note: err.Error()}, nil }

// Verdict is a guard's verdict on a call.
type Verdict string

// The verdicts. The zero value means Deny.
const (
	Allow Verdict = "allow"
	Ask   Verdict = "ask"
	Deny  Verdict = "deny"
)

// Decision is a verdict, the rule that made it, and the reason in a sentence for the model
// and the user.
type Decision struct {
	Verdict Verdict
	Rule    string
	Reason  string
}

// Deny turns the decision into a denial, with one more reason. who, unless it is "", is
// added to the rule that had asked.
func (d Decision) Deny(reason, who string) Decision {
	d.Verdict = Deny
	if d.Reason != "" {
		reason = strings.TrimSuffix(d.Reason, ".") + ", and " + reason
	}
	d.Reason = reason
	if who != "" {
		d.Rule = strings.TrimPrefix(d.Rule+", "+who, ", ")
	}
	return d
}

// Guard decides whether a call may run. It is safe for concurrent use.
type Guard interface {
	Decide(ctx context.Context, tool string, arguments json.RawMessage) Decision

	// Offered reports whether the guard would allow the tool with some arguments.
	Offered(tool string) bool
}

// Asker asks somebody about a call whose verdict is [Ask], and returns the answer: Allow or
// Deny. Another verdict, an error and a panic deny the call, and say so to the model; an error
// and a panic end the step, too. It returns when ctx is done. It is safe for concurrent use.
type Asker func(ctx context.Context, tool string, arguments json.RawMessage, d Decision) (Decision, error)
