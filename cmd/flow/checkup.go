package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// checkTimeout bounds one request of a check.
const checkTimeout = 30 * time.Second

// The results of a check.
const (
	checkAnswered = "answered"
	checkFailed   = "failed"
	checkSkipped  = "skipped"
)

// A checkup is what came of asking one provider.
type checkup struct {
	Status     string     `json:"status"`
	Model      string     `json:"model,omitempty"`
	DurationMS int64      `json:"duration_ms,omitempty"`
	Kind       steps.Kind `json:"kind,omitempty"`
	Message    string     `json:"message,omitempty"`
	Hint       string     `json:"hint,omitempty"`
}

// checkUp asks all providers at once, each once, and fills in what comes of it.
// Of several that fail the first in the list's order decides the exit code.
func (p *program) checkUp(ctx context.Context, list []listedProvider, chosen []service, named []string) error {
	registry := p.registry(&workflows.Workflow{}, "")
	var wg conc.WaitGroup
	for i, s := range chosen {
		ref := ""
		if len(named) > 0 {
			ref = named[i]
		}
		wg.Go(func() {
			c := p.check(ctx, registry, s, ref)
			list[i].Check = &c
		})
	}
	wg.Wait()
	for _, l := range list {
		if l.Check.Status == checkFailed {
			return exitError(codeOf(l.Check.Kind))
		}
	}
	return nil
}

// check asks one model of a service for a word. Where nobody has named the
// service, one that has neither a key nor a base URL is passed over.
func (p *program) check(ctx context.Context, r *registry, s service, ref string) checkup {
	key, _ := p.key(s)
	if ref == "" && key == "" && p.env(s.urlVar) == "" && !p.usesVertex(s) {
		return checkup{Status: checkSkipped, Message: "no key"}
	}
	_, name, _ := strings.Cut(ref, "/")
	if name == "" {
		name = cheapest(s)
	}
	if name == "" {
		return checkup{Status: checkSkipped, Message: "which of its models?", Hint: fmt.Sprintf("name one: flow models --check %s/<model>", s.name)}
	}
	c := checkup{Model: s.name + "/" + name}
	e, err := r.endpoint(s.name, r.top)
	if err == nil {
		ctx, cancel := context.WithTimeoutCause(ctx, checkTimeout, &providers.Error{
			Kind: providers.KindNetwork, Message: fmt.Sprintf("no answer within %v", checkTimeout),
		})
		defer cancel()
		start := time.Now()
		_, err = e.hinted(r.connect(e, c.Model, s.name, name), name).Stream(ctx, smallest(), func(providers.Event) {})
		c.DurationMS = time.Since(start).Milliseconds()
		if cause := context.Cause(ctx); err != nil && cause != nil {
			err = cause
		}
	}
	return c.with(err, p.mask(r.top).String)
}

// smallest is the smallest request that every service takes.
func smallest() providers.Request {
	const least = 16 // tokens of an answer that OpenAI lets be asked for
	return providers.Request{
		Messages: []providers.Message{providers.UserText("Say: ok")},
		Params:   providers.Params{MaxOutputTokens: least},
	}
}

// cheapest is the model of a service that is known to cost the least; "" where
// none is known.
func cheapest(s service) string {
	priced := slices.DeleteFunc(knownModels([]service{s}, nil), func(m listedModel) bool { return m.Price == nil })
	if len(priced) == 0 {
		return ""
	}
	least := slices.MinFunc(priced, func(a, b listedModel) int {
		return cmp.Compare(a.Price.Input+a.Price.Output, b.Price.Input+b.Price.Output)
	})
	_, name, _ := strings.Cut(least.Model, "/")
	return name
}

// with is the checkup with what came of it. No secret is told.
func (c checkup) with(err error, mask func(string) string) checkup {
	c.Status = checkAnswered
	if err == nil {
		return c
	}
	c.Status, c.Kind, c.Message = checkFailed, steps.KindOf(err), mask(err.Error())
	var told *steps.Error
	if errors.As(err, &told) {
		c.Hint = told.Hint
	}
	return c
}

// printCheckups prints for people.
func (p *program) printCheckups(list []listedProvider) error {
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
