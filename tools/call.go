package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sourcegraph/conc/panics"
)

// Status says how a call ended.
type Status string

// The ends of a call.
const (
	Succeeded Status = "succeeded"
	Failed    Status = "failed"    // it could not run, or did not do what it was asked for
	Denied    Status = "denied"    // the guard, or the person who was asked, did not allow it
	Cancelled Status = "cancelled" // the context was done first
)

// Answer is the answer to a model's call.
type Answer struct {
	Content   string // masked and truncated
	Status    Status
	Decision  Decision // zero for a call that could not run
	Truncated bool
	Path      string        // of the whole output, if it is kept
	Lost      bool          // truncated, and the whole output is not kept
	Duration  time.Duration // of the tool's work
	Open      bool          // there is no answer yet, see [Result]
	Spent     Amount

	// Output is the part of Content that comes from the tool, without what the set adds
	// for a model. Note is the end of it that the tool did not print. Only [Call.Reveal]
	// sets them.
	Output, Note string
}

// Call is one call of a tool of a [Set], see [Set.Prepare]. It is not safe for concurrent
// use.
type Call struct {
	Name      string
	Arguments json.RawMessage // as given, with the pinned ones

	// Number is the number of the call in its conversation, for the name of the file with
	// its whole output. 0 is 1.
	Number int

	Ask Asker // in place of the set's; nil is the set's

	set     *Set
	entry   *entry
	exact   json.RawMessage // the arguments that are judged and run
	located bool            // they name a file of [Outputs]
	refusal string          // why it can't run, for the model
	index   int             // see [IndexOf]

	decided  bool
	decision Decision
	askErr   error
}

// Effects returns what the call touches, for the purpose of running calls in parallel: its
// entry's Parallel may override it. A call that can't run touches nothing.
func (c *Call) Effects() Effects {
	if c.refusal != "" {
		return Effects{}
	}
	switch c.entry.Parallel {
	case ParallelAlways:
		return Effects{}
	case ParallelNever:
		return Everything()
	}
	return c.own()
}

// Writes reports whether the call may change something, whatever its entry's Parallel is.
func (c *Call) Writes() bool {
	if c.refusal != "" {
		return false
	}
	effects := c.own()
	return effects.All || len(effects.Writes) > 0
}

// Continues reports whether the call goes on where it was when it is made again.
func (c *Call) Continues() bool {
	if c.entry == nil {
		return false
	}
	_, continues := c.entry.Tool.(Continuer)
	return continues
}

// own returns what the call touches according to the tool.
func (c *Call) own() Effects {
	effects := Everything() // also if the tool panics
	panics.Try(func() { effects = c.entry.Tool.Effects(c.exact) })
	return effects
}

// Decide has the guard judge the call, and asks somebody if the guard says so. It does so
// only the first time, which should be just before [Call.Run], because the effects of
// earlier calls count. The verdict is Allow or Deny, or Ask if the call has to wait for a
// person ([SetOptions].Later); such a call is not run. An error is the asker's, or a panic
// of the guard; the verdict is then Deny. For a call that can't run the verdict is Allow.
func (c *Call) Decide(ctx context.Context) (Decision, error) {
	if c.refusal != "" {
		return Decision{Verdict: Allow}, nil
	}
	if !c.decided {
		c.decided = true
		c.decision, c.askErr = c.decide(ctx)
	}
	return c.decision, c.askErr
}

func (c *Call) decide(ctx context.Context) (d Decision, err error) {
	guard, ask, later := c.set.options.Guard, c.set.options.Ask, c.set.options.Later && c.Ask == nil
	if c.Ask != nil {
		ask = c.Ask
	} else if later {
		ask = nil
	}
	if guard == nil {
		return Decision{Verdict: Deny, Reason: "there is no policy"}, nil
	}
	if fault := panics.Try(func() { d = guard.Decide(ctx, c.Name, c.exact) }); fault != nil {
		return Decision{Verdict: Deny, Reason: "the rules could not be evaluated"}, fmt.Errorf("policy of %s: %w", c.Name, crash{fault})
	}
	switch {
	case d.Verdict == Ask && ask != nil:
		return c.consult(ctx, ask, d)
	case d.Verdict == Ask && later:
	case d.Verdict == Ask:
		d = d.Deny("nobody can be asked", "")
	case d.Verdict != Allow:
		d.Verdict = Deny
	}
	return d, nil
}

// consult asks somebody about the call. What goes wrong with that is no fault of the policy.
func (c *Call) consult(ctx context.Context, ask Asker, asked Decision) (d Decision, err error) {
	if fault := panics.Try(func() { d, err = ask(ctx, c.Name, c.exact, asked) }); fault != nil {
		return asked.Deny("asking for approval crashed", ""), fmt.Errorf("asking about %s crashed: %w", c.Name, crash{fault})
	}
	switch {
	case err != nil:
		return asked.Deny("asking for approval failed", ""), fmt.Errorf("asking about %s failed: %w", c.Name, err)
	case d.Verdict == Deny && d.Reason == asked.Reason:
		return d.Deny("nobody approved it", ""), nil
	case d.Verdict == Allow, d.Verdict == Deny:
		return d, nil
	}
	return asked.Deny("asking for approval gave no decision", ""), nil
}

// Run calls Decide, and runs the call if it is allowed. It returns an answer for the model
// in any case. An error is for the program: that of Decide, a panic of the tool, a broken
// disk. That ctx is done is a status, not an error.
func (c *Call) Run(ctx context.Context) (Answer, error) {
	answer, err := c.run(ctx, OutputOptions{})
	answer.Content, answer.Output, answer.Note = c.set.options.Mask.String(answer.Content), "", ""
	return answer, err
}

// Reveal is Run for a program in place of a model: the answer is not masked, and whole, if
// not nil, gets all output of the tool.
func (c *Call) Reveal(ctx context.Context, whole io.Writer) (Answer, error) {
	return c.run(ctx, OutputOptions{Reveal: true, Copy: whole})
}

// Invalid reports whether the call can't run: there is no such tool, the arguments are not
// valid, or there were too many calls. Run answers it all the same.
func (c *Call) Invalid() bool { return c.refusal != "" }

// run runs the call. o is for its output; the set's options are added.
func (c *Call) run(ctx context.Context, o OutputOptions) (Answer, error) {
	if ctx.Err() != nil {
		return cancelled(ctx, ""), nil
	}
	if c.refusal != "" {
		return Answer{Status: Failed, Content: c.refusal}, nil
	}
	d, err := c.Decide(ctx)
	switch {
	case ctx.Err() != nil:
		return cancelled(ctx, ""), nil
	case d.Verdict != Allow:
		return Answer{Status: Denied, Content: denial(d), Decision: d}, err
	}
	start := time.Now()
	answer, err := c.execute(ctx, c.outputOptions(o))
	if c.located {
		answer.Content, answer.Output = c.set.options.Outputs.Told(answer.Content), c.set.options.Outputs.Told(answer.Output)
	}
	if answer.Status != Denied {
		answer.Decision = d
	}
	answer.Duration = time.Since(start)
	return answer, err
}

func cancelled(ctx context.Context, soFar string) Answer {
	cause := strings.TrimPrefix(fmt.Sprint(context.Cause(ctx)), "cancelled: ") // nil: the call is open, and has no answer yet
	return Answer{Status: Cancelled, Content: onNewLine(soFar, "Cancelled: "+cause)}
}

func denial(d Decision) string {
	text := "Denied"
	if d.Rule != "" && !strings.Contains(d.Reason, "the rule \"") { // else the reason names it
		text += fmt.Sprintf(" by the rule %q", d.Rule)
	}
	return strings.TrimSuffix(sentence(text, d.Reason), ".") + "."
}

// sentence joins a and b, of which either may be empty.
func sentence(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ": " + b
}

// execute runs the tool into an output of its own.
func (c *Call) execute(ctx context.Context, o OutputOptions) (Answer, error) {
	out := NewOutput(o)
	var result Result
	var err error
	fault := panics.Try(func() { result, err = c.entry.Tool.Run(context.WithValue(ctx, indexKey{}, c.index), c.exact, out) })
	text, _ := out.Close() // fails only if the tool has closed it; the answer is then empty
	answer := Answer{Status: Succeeded, Truncated: text.Truncated, Path: text.Path, Lost: text.Lost}
	answer.Output, answer.Note = onNewLine(text.Content, result.Note), result.Note
	answer.Content, answer.Spent = answer.Output, result.Spent
	switch {
	case fault != nil:
		answer.Status = Failed
		answer.Content = onNewLine(answer.Content, "The tool broke down; this is no fault of the call.")
		return answer, fmt.Errorf("tool %q: %w", c.Name, crash{fault})
	case result.Open:
		answer.Open, answer.Status, answer.Content = true, Cancelled, cancelled(ctx, answer.Content).Content
		return answer, err
	case (err != nil || result.Failed) && ctx.Err() != nil:
		answer.Status = Cancelled
		answer.Content = cancelled(ctx, answer.Content).Content
		return answer, nil
	case err != nil:
		answer.Status = Failed
		answer.Content = onNewLine(answer.Content, "Failed: "+err.Error())
		return answer, fmt.Errorf("tool %q: %w", c.Name, err)
	case result.Denied != nil:
		answer.Status, answer.Decision = Denied, *result.Denied
		answer.Content = denial(*result.Denied)
		if result.Note != "" {
			answer.Content = sentence("Denied", result.Note)
		}
		if text.Content != "" { // what it printed was for nothing: the reason comes first
			answer.Content += "\nIt printed:\n" + text.Content
		}
	case result.Failed:
		answer.Status = Failed
	}
	return answer, nil
}

// outputOptions adds the options of the set and the entry to o.
func (c *Call) outputOptions(o OutputOptions) OutputOptions {
	s, e := c.set, c.entry
	limits := s.options.Limits
	if e.Limits != nil {
		limits = e.Limits.or(limits)
	}
	o.Limits, o.Mask, o.Hint = limits.or(Limits{Keep: e.spec.Keep}), s.options.Mask, s.hint
	if s.options.Outputs.Spill != nil {
		o.Spill = func() (io.WriteCloser, string, error) { return s.options.Outputs.Spill(max(c.Number, 1), e.spec.Name) }
	}
	return o
}

// A crash is the error of a panic. Its text lacks the stack, which errors.As finds as a
// *[panics.ErrRecovered].
type crash struct{ *panics.Recovered }

func (c crash) Error() string { return fmt.Sprintf("panic: %v", c.Value) }

func (c crash) Unwrap() error { return c.AsError() }
