package main

import (
	"context"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// dryRun prints what a run would do. The models are found, and none is asked.
func (s *session) dryRun(ctx context.Context) error {
	plan, err := view.NewPlan(s.host.Linked(), host.Asks, s.flags.budget)
	if err != nil {
		return err
	}
	if s.flags.output.value != outputJSON {
		return s.print(ctx, term.VisibleLines(s.mask.String(plan.Text())))
	}
	var b strings.Builder
	if err := writeJSON(&b, plan); err != nil {
		return err
	}
	return s.print(ctx, s.mask.String(b.String()))
}
