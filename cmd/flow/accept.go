package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/authority"
	"github.com/a-seed-11b9befa/flow/internal/person"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/internal/session"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
)

// accept has it confirmed that a recipe of the command line is the one that is meant,
// and that it may have what it asks for: by the command line, or by a person.
func (p *program) accept(ctx context.Context, w *host.Loaded, s recipe.Source, f *runFlags) error {
	if f.accept || f.dryRun {
		return nil
	}
	consent, err := host.ParseConsent(f.grants)
	if err != nil {
		return steps.Invalid("", "--grant %v", err)
	}
	consent.Unasked = f.onAsk == session.Allow
	asked := consent.Lacks(w.Workflow)
	loose := s.Recipe != nil && !s.Recipe.Reference.Pinned()
	if !loose && len(asked) == 0 {
		return nil
	}
	var b strings.Builder
	if loose {
		fmt.Fprintf(&b, "%s is %s now.\n", s.Recipe.Reference.Text, s.Recipe.Locked.At())
	}
	for _, line := range asked {
		fmt.Fprintf(&b, "It asks for %s\n", line)
	}
	if slices.ContainsFunc(asked, authority.IsShortened) {
		fmt.Fprintf(&b, "The commands are whole in %s\n", filepath.Dir(s.File))
	}
	unasked := steps.Invalid("--grant lets it have a part, such as --grant commands --grant env=NAME; --accept all of it",
		"the recipe asks for what it is not granted: %s", strings.Join(asked, "; "))
	if loose {
		unasked = steps.Invalid(fmt.Sprintf("name what it is now: flow run %s@%s; or give --accept", s.Recipe.Reference.Base(), s.Recipe.Locked.At()),
			"%s can be another recipe tomorrow, and nobody is there to confirm it", s.Recipe.Reference.Text)
	}
	if f.serves {
		return unasked
	}
	return p.confirm(ctx, term.VisibleLines(b.String())+"Run it? [y/N] ", unasked)
}

// confirm asks the person at the terminal, where a CI system is none, and ends the program
// where the answer is no. The error is unasked where nobody is there.
func (p *program) confirm(ctx context.Context, question string, unasked error) error {
	tty := person.Terminal(p.env)
	if tty == nil {
		return unasked
	}
	defer tty.Close()
	p.stderr.Flush()
	yes, err := person.Confirm(ctx, tty, question)
	if err == nil && !yes {
		err = exitError(exitDenied)
	}
	return err
}
