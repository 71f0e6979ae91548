package runner

import (
	"context"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A spender is a step in a run with budgets.
type spender struct {
	*unit
	warned []string
}

// limits are the budget of a workflow, and those around it.
func limits(tokens int64, usd float64, around ...workflows.Budget) []workflows.Budget {
	return append([]workflows.Budget{{Tokens: tokens, CostUSD: usd}}, around...)
}

// spenderOf begins a run whose only step is in a workflow with the first budget, which
// is used by one with the second, if there is one.
func spenderOf(t *testing.T, budgets []workflows.Budget) *spender {
	t.Helper()
	a, at := &spender{}, journal.Address{}.Child("s")
	w := budgeted(t, budgets[0])
	used := w
	if len(budgets) > 1 {
		w = budgeted(t, budgets[1])
		w.Steps[0].Command, w.Steps[0].Use = nil, &workflows.Use{Workflow: used}
		at = at.Child("s")
	}
	e := &exec{Options: Options{Price: cents, Observe: func(e Event) { a.warned = append(a.warned, e.Message) }}.withDefaults()}
	e.abort = func(err error) { t.Error(err) }
	e.cut = e.abort
	var err error
	if e.journal, err = journal.Create(t.TempDir(), journal.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.journal.Close() })
	in := &instance{Workflow: w, exec: e}
	e.top = in
	e.prepareRun()
	budget := e.runBudget()
	if len(budgets) > 1 {
		in = &instance{Workflow: used, exec: e, caller: in, user: at.Parent().WithAttempt(1)}
		budget = budget.open(in.mayUse(), in.budgetOwner(), "")
	}
	of := (&site{exec: e, in: in, budget: budget}).located(at.WithAttempt(1))
	a.unit = &unit{site: of}
	return a
}

func budgeted(t *testing.T, b workflows.Budget) *workflows.Workflow {
	t.Helper()
	w, ds := workflows.Parse("flow.yaml", []byte(`{name: t, steps: [{id: s, run: "true"}]}`), workflows.Options{})
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	w.Budget, w.Prices = b, map[string]workflows.Price{"free": {}}
	return w
}

// reserve reserves for a request. Who settles it has written what it has used.
func (a *spender) reserve(ctx context.Context, e steps.Estimate) (steps.Grant, error) {
	grant, err := a.unit.reserve(ctx, e)
	if settle := grant.Settle; settle != nil {
		grant.Settle = func(used []steps.Spent) {
			a.remember(steps.Fact{Answer: &steps.Answer{Used: used}})
			settle(used)
		}
	}
	return grant, err
}

// spent is what is counted, of the inner budget first.
func (a *spender) spent() (all []tools.Amount) {
	for at := a.budget; at.outer != nil; at = at.outer {
		all = append(all, at.spent)
	}
	return all
}
