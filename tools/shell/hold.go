package shell

import (
	"context"
	"fmt"

	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

// Hold runs commands in views of a [held.Space], and judges their changes before they land.
type Hold struct {
	// Space returns the space; it is called for every command. If it returns an error,
	// the command does not run when Required is set; else Refused is called, and the
	// command runs under Landlock.
	Space    func() (*held.Space, error)
	Required bool
	Refused  func(err error)

	Judge   func(ctx context.Context) held.Judge // called for each command
	Partial bool                                 // allowed changes land even if others are denied

	// Git reports whether a script of the workflow's author, run in dir, may change git's
	// own files. Nil says that none may.
	Git func(script, dir string) bool
}

// authorsCall returns how an author's command is held.
func (c *Command) authorsCall() held.Call {
	h := c.Sandbox.hold()
	git := len(c.Args) == 0 && h != nil && h.Git != nil && h.Git(c.Script, c.Dir)
	return held.Call{Git: git, Connects: git}
}

// begin makes the view of a command, or returns nil if it does not run held.
func (c *Command) begin(given given) (*held.View, error) {
	h := c.Sandbox.hold()
	if h == nil {
		return nil, nil
	}
	space, err := h.Space()
	if err != nil && h.Required {
		return nil, err
	}
	if err != nil {
		h.Refused(err)
		sandbox := *c.Sandbox
		sandbox.Hold, c.Sandbox = nil, &sandbox
		return nil, nil
	}
	call := c.call
	call.Offline = c.Sandbox.Offline
	if given.folder != "" {
		call.Show = append(call.Show, given.folder)
	}
	return space.Begin(call)
}

// land lets the changes of a command land, and adds what did not land to the result of its
// call.
func (h *Hold) land(ctx context.Context, v *held.View, result tools.Result, p *printed) (tools.Result, error) {
	outcome, err := v.Land(h.Judge(ctx), h.Partial)
	if err == nil && !outcome.Withheld {
		err = p.release()
	}
	if err != nil {
		return tools.Result{}, fmt.Errorf("what the command did: %w", err)
	}
	note := outcome.Note()
	if note == "" {
		return result, nil
	}
	if result.Note != "" {
		note += "; " + result.Note
	}
	result.Failed, result.Note = true, note
	if len(outcome.Denied) > 0 {
		first := outcome.Denied[0]
		result.Denied = &tools.Decision{Verdict: tools.Deny, Rule: first.Rule, Reason: outcome.Note()}
	}
	return result, nil
}

// HeldError says which changes of a command were not allowed, so that none of its changes
// have landed, or not all, or they were undone.
type HeldError struct{ Message string }

func (e *HeldError) Error() string { return e.Message }
