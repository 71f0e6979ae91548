package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

// checkUp asks all providers, and fills in what comes of it. Of several that fail
// the first in the list's order decides the exit code.
func (p *program) checkUp(ctx context.Context, list *host.Listing) error {
	p.environment().CheckUp(ctx, list)
	var failed error
	for _, l := range list.Providers {
		if l.Check.Unnamed {
			l.Check.Hint = fmt.Sprintf("name one: flow models --check %s/<model>", l.Name)
		}
		if l.Check.Status == host.Failed && failed == nil {
			failed = exitError(codeOf(l.Check.Kind))
		}
	}
	return failed
}

// printCheckups prints for people.
func (p *program) printCheckups(list []*host.ListedProvider) error {
	t := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PROVIDER\tSTATUS\tTIME\tMODEL\tPROBLEM")
	for _, l := range list {
		c := l.Check
		took := ""
		if c.DurationMS > 0 {
			took = (time.Duration(c.DurationMS) * time.Millisecond).Round(10 * time.Millisecond).String()
		}
		problem := c.Message
		if c.Kind != "" {
			problem = fmt.Sprintf("%s: %s", c.Kind, c.Message)
		}
		if c.Hint != "" {
			problem += " (" + c.Hint + ")"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", l.Name, c.Status, took, c.Model, term.Visible(strings.ReplaceAll(problem, "\n", " ")))
	}
	return t.Flush()
}
