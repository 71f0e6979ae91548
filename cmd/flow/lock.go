package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/authority"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/internal/relock"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// lockFlags are the flags of flow lock.
type lockFlags struct {
	check, online, update, acceptWider bool
}

func (p *program) lockCommand() *cobra.Command {
	var f lockFlags
	c := &cobra.Command{
		Use:   "lock [FILE] [REF…]",
		Short: "Lock the versions of the recipes that a workflow uses",
		RunE: func(_ *cobra.Command, args []string) error {
			file, refs, err := lockArguments(args, f)
			if err != nil {
				return err
			}
			return underSignals(func(ctx context.Context) error { return p.lock(ctx, file, refs, f) })
		},
	}
	set := c.Flags()
	set.BoolVar(&f.check, "check", false, "write nothing; check whether the lock is complete and correct")
	set.BoolVar(&f.online, "online", false, "with --check: also check whether tags have moved")
	set.BoolVar(&f.update, "update", false, "update branches and tags to their newest version")
	set.BoolVar(&f.acceptWider, "accept-wider", false, "accept versions that may do more than before, without asking")
	c.MarkFlagsMutuallyExclusive("check", "update")
	c.MarkFlagsMutuallyExclusive("check", "accept-wider")
	return c
}

// lockArguments separates the file from the references.
func lockArguments(args []string, f lockFlags) (file string, refs []string, err error) {
	for _, arg := range args {
		if _, isRef, _ := recipe.Parse(arg); isRef {
			refs = append(refs, arg)
			continue
		}
		if file != "" {
			return "", nil, steps.Invalid("", "lock: unexpected argument %q: lock one file at a time", arg)
		}
		file = arg
	}
	switch {
	case len(refs) > 0 && !f.update:
		return "", nil, steps.Invalid("with --update", "lock: unexpected argument %q", refs[0])
	case f.online && !f.check:
		return "", nil, steps.Invalid("", "--online needs --check")
	}
	return cmp.Or(file, recipe.File), refs, nil
}

// lock updates the lock of a file, or checks it.
func (p *program) lock(ctx context.Context, file string, refs []string, f lockFlags) error {
	u, err := relock.Read(file, p.finder())
	if err != nil {
		return err
	}
	if f.check {
		mistakes, err := u.Check(ctx, p.environment(ctx), f.online)
		p.render(mistakes)
		return err
	}
	u.Renew, u.Only = f.update, refs
	ungranted, err := u.Load(ctx, p.environment(ctx))
	if err != nil {
		p.render(ungranted) // which are mistakes then
		return err
	}
	text, wider := u.Changes()
	p.Text(term.VisibleLines(text))
	p.printGrants(ungranted)
	if wider && !f.acceptWider {
		if err := p.confirmWider(ctx, text, recipe.LockOf(file)); err != nil {
			return err
		}
	}
	return u.Write()
}

// printGrants prints which grants the workflow needs before it runs, each as something to do next: the
// lock is written without them.
func (p *program) printGrants(found workflows.Diagnostics) {
	for _, d := range found {
		if d.Severity == workflows.SeverityError {
			fmt.Fprintf(p.Screen, "next: %s\n      %s\n", diagnostic.Visible(fmt.Sprintf("%s: %s", d.Position(), d.Message)), diagnostic.Visible(d.Hint))
		}
	}
	p.render(slices.DeleteFunc(found, func(d workflows.Diagnostic) bool { return d.Severity == workflows.SeverityError }))
}

// confirmWider asks the person at the terminal, who has seen the changes, whether to take them.
func (p *program) confirmWider(ctx context.Context, changes, lock string) error {
	question := "The lines marked " + authority.MayDoMore + " allow more than before. Accept them? [y/N] "
	if !term.IsTerminal(p.Stdout) {
		question = term.VisibleLines(changes) + question
	}
	unasked := steps.Invalid("review the lines marked "+authority.MayDoMore+", then run flow lock again with --accept-wider", "%s is unchanged: a new version may do more than the old one, and there is no terminal to ask on", lock)
	err := p.confirm(ctx, question, unasked)
	if err == unasked {
		p.complain(err)
		err = exitError(exitDenied)
	}
	return err
}
