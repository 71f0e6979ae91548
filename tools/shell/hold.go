package shell

import (
	"context"
	"fmt"

	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

// A Hold has commands see the file system as [held.Space] shows it, and judges what
// they did there before it lands.
type Hold struct {
	// Space returns the workspace; it is called for every command. Where it is an
	// error the command is left to Landlock, after Refused was called, or does not run
	// where Required is set.
	Space    func() (*held.Space, error)
	Required bool
	Refused  func(err error)

	Judge   func(ctx context.Context) held.Judge // for one command
	Partial bool                                 // lands what is allowed though something is denied

	// Git reports whether a script, run in a folder, may change git's own files.
	// Nil: none may.
	Git func(script, dir string) bool

	// Guesses reports whether a script, run in a folder, may write files that its words
	// don't name: its by-products are then gone with it, so that no later command runs
	// what nobody has judged. Nil: none does.
	Guesses func(script, dir string) bool
}

// guesses reports whether a script may write files that its words don't name.
func (s *Sandbox) guesses(script, dir string) bool {
	h := s.hold()
	return h != nil && h.Guesses != nil && h.Guesses(script, dir)
}

// letsGit reports whether a script may change git's own files.
func (s *Sandbox) letsGit(script, dir string) bool {
	h := s.hold()
	return h != nil && h.Git != nil && h.Git(script, dir)
}

// begin makes the view of a command; nil where it has none.
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
	call := held.Call{Offline: c.Sandbox.Offline, ReadOnly: c.readOnly, Git: c.git, DropAside: c.dropAside}
	if given.folder != "" {
		call.Show = append(call.Show, given.folder)
	}
	return space.Begin(call)
}

// land has what a command did judged, and lands it. The result is that of its call.
func (h *Hold) land(ctx context.Context, v *held.View, result tools.Result) (tools.Result, error) {
	outcome, err := v.Land(h.Judge(ctx), h.Partial)
	if err != nil {
		return tools.Result{}, fmt.Errorf("what the command did: %w", err)
	}
	note := outcome.Note()
	if note == "" {
		return result, nil
	}
	if result.Note != "" {
		note = result.Note + "; " + note
	}
	result.Failed, result.Note = true, note
	if len(outcome.Denied) > 0 {
		first := outcome.Denied[0]
		result.Denied = &tools.Decision{Verdict: tools.Deny, Rule: first.Rule, Reason: outcome.Note()}
	}
	return result, nil
}

// A HeldError says what a held command did that was not allowed, so that nothing of
// it has landed, or not all.
type HeldError struct{ Message string }

func (e *HeldError) Error() string { return e.Message }
