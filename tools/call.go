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

// Status is how a call ended.
type Status string

// The ends of a call.
const (
	Succeeded Status = "succeeded"
	Failed    Status = "failed"    // it could not run, or did not do what it was asked for
	Denied    Status = "denied"    // the guard, or who was asked, did not allow it
	Cancelled Status = "cancelled" // the context ended first
)

// An Answer is what a model is told of its call.
type Answer struct {
	Content   string // masked and truncated
	Status    Status
	Decision  Decision // zero for a call that could not run
	Truncated bool
	Path      string        // of the whole output, where it is kept
	Lost      bool          // truncated, and the whole is not kept
	Duration  time.Duration // of the tool's work

	// Output is what of Content is the tool's own, without what the set adds
	// for a model. Note is its end that the tool did not print. Both are there for
	// [Call.Reveal] only.
	Output, Note string
}

// A Call is one call of a tool of a [Set]: see [Set.Prepare]. Its methods are
// for one goroutine.
type Call struct {
	Name      string
	Arguments json.RawMessage // as they were given, and what is pinned

	// Number is the number of the call in its conversation, for the name of the file that
	// takes its whole output. 0 stands for 1.
	Number int

	Ask Asker // is asked in place of the set's; nil: that is

	set     *Set
	entry   *entry
	exact   json.RawMessage // what is judged and run
	located bool            // they name a file of [Outputs]
	refusal string          // why it can't run, for the model

	decided  bool
	decision Decision
	askErr   error
}

// Effects returns what the call touches, as its entry's Parallel has it. A call
// that can't run touches nothing.
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

// Writes reports whether the call may change something, whatever may run beside it.
func (c *Call) Writes() bool {
	if c.refusal != "" {
		return false
	}
	effects := c.own()
	return effects.All || len(effects.Writes) > 0
}

// own is what the tool says that the call touches.
func (c *Call) own() Effects {
	effects := Everything() // also where the tool breaks down
	panics.Try(func() { effects = c.entry.Tool.Effects(c.exact) })
	return effects
}

// Decide asks the guard, and somebody where the guard says so, once: when it is
// called first. What earlier calls did counts, so it is for the moment before
// [Call.Run]. The verdict is Allow or Deny, or Ask where the call has to wait for a
// person ([SetOptions].Later); such a call is not run. The error is the asker's, or that
// of a guard that broke down; the verdict is then Deny. A call that can't run
// is not judged: it is allowed to be answered.
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
	fault := panics.Try(func() {
		d = guard.Decide(ctx, c.Name, c.exact)
		if d.Verdict == Ask && ask != nil {
			d, err = ask(ctx, c.Name, c.exact, d)
		}
	})
	switch {
	case fault != nil:
		return Decision{Verdict: Deny, Reason: "the policy could not be judged"}, fmt.Errorf("policy of %s: %w", c.Name, fault.AsError())
	case err != nil:
		d.Verdict = Deny
	case d.Verdict == Ask && later:
	case d.Verdict == Ask:
		d.Verdict = Deny
		d.Reason = sentence(d.Reason, "nobody can be asked")
	case d.Verdict != Allow:
		d.Verdict = Deny
	}
	return d, err
}

// Run decides, if that was not done, runs the call if it is allowed, and
// answers in any case. The answer is for the model; the error is for whoever
// runs the step: that of Decide, a tool that broke down, a broken disk. A
// context that ended is no error, but a status.
func (c *Call) Run(ctx context.Context) (Answer, error) {
	answer, err := c.run(ctx, OutputOptions{})
	answer.Content, answer.Output, answer.Note = c.set.options.Mask.String(answer.Content), "", ""
	return answer, err
}

// Reveal is Run for a program in place of a model: the answer is not masked,
// and whole, unless it is nil, gets all that the tool prints.
func (c *Call) Reveal(ctx context.Context, whole io.Writer) (Answer, error) {
	return c.run(ctx, OutputOptions{Reveal: true, Copy: whole})
}

// Invalid reports whether the call can't run: there is no such tool, the
// arguments do not fit, or it is one too many. It is answered all the same.
func (c *Call) Invalid() bool { return c.refusal != "" }

// run writes what the tool prints as o says; the set says the rest.
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
	note := fmt.Sprintf("Cancelled: %v", context.Cause(ctx))
	return Answer{Status: Cancelled, Content: onNewLine(soFar, note)}
}

func denial(d Decision) string {
	text := "Denied"
	if d.Rule != "" {
		text += fmt.Sprintf(" by the rule %q", d.Rule)
	}
	return strings.TrimSuffix(sentence(text, d.Reason), ".") + "."
}

// sentence joins what is there of a and b.
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
	fault := panics.Try(func() { result, err = c.entry.Tool.Run(ctx, c.exact, out) })
	text, _ := out.Close() // fails only where a tool closed it, which is then its answer
	answer := Answer{Status: Succeeded, Truncated: text.Truncated, Path: text.Path, Lost: text.Lost}
	answer.Output, answer.Note = onNewLine(text.Content, result.Note), result.Note
	answer.Content = answer.Output
	switch {
	case fault != nil:
		answer.Status = Failed
		answer.Content = onNewLine(answer.Content, "The tool broke down; this is no fault of the call.")
		return answer, fmt.Errorf("tool %q: %w", c.Name, fault.AsError())
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
	case result.Failed:
		answer.Status = Failed
	}
	return answer, nil
}

// outputOptions adds to o what holds for every call of the entry.
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
