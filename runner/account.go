package runner

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An account is the budget of a workflow in a run. What is spent is the sum of the records;
// what requests in flight may use is reserved, so that they can't overshoot together. A nil
// account has no limit.
type account struct {
	*accounts
	limit  journal.Amount // a zero field sets none
	of     string         // the unit that uses the workflow; "" at the top
	around *account       // of the next workflow around it that has a budget

	spent, reserved journal.Amount
	perhaps         journal.Amount // of spent: the most that requests used of which nobody knows, as flow was killed
	inFlight        int            // requests
	overspent       bool           // a warning says so
}

// accounts are what all accounts of a run share.
type accounts struct {
	mu   sync.Mutex
	done *sync.Cond        // a request is no longer in flight
	warn func(text string) // called without mu
}

func newAccounts(warn func(text string)) *accounts {
	all := &accounts{warn: warn}
	all.done = sync.NewCond(&all.mu)
	return all
}

// open returns the account of a workflow, or the one around it if it has no budget of tokens
// or money.
func (all *accounts) open(b workflows.Budget, of string, around *account) *account {
	limit := journal.Amount{Tokens: b.Tokens, CostUSD: b.CostUSD}
	if limit == (journal.Amount{}) {
		return around
	}
	return &account{accounts: all, limit: limit, of: of, around: around}
}

// A request is what a request to a model may use.
type request struct {
	steps.Estimate
	worth func(input, output int64) journal.Amount // of tokens; the cost is 0 if it is not known
}

func (r request) shortest() journal.Amount { return r.worth(r.InputTokens, r.LeastOutput) }
func (r request) longest() journal.Amount  { return r.worth(r.InputTokens, r.OutputTokens) }

// spend counts what was used.
func (a *account) spend(used journal.Amount) { a.count(used, journal.Amount{}) }

// take counts what a record says was used.
func (a *account) take(r *journal.Record) {
	if r.About == journal.Inner && r.Data == nil {
		a.count(r.Spent, r.Spent)
		return
	}
	a.spend(r.Spent)
}

func (a *account) count(used, perhaps journal.Amount) {
	if a == nil || used == (journal.Amount{}) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for ; a != nil; a = a.around {
		a.spent, a.perhaps = a.spent.Plus(used), a.perhaps.Plus(perhaps)
	}
}

// reserve waits until all accounts have room for a request beside those in flight, and
// reserves what it may use. A request that is alone has room as long as the rest pays for a
// useful answer, to which the grant limits the answer. The grant is settled after what the
// request used is spent. The error is a [steps.Error] of the kind budget, or the context's
// cause.
func (a *account) reserve(ctx context.Context, r request) (grant steps.Grant, err error) {
	if a == nil {
		return steps.Grant{Settle: func([]steps.Spent) {}}, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for least := r.shortest(); ; {
		if by := a.refusing(least); by != nil {
			return grant, by.usedUp(least)
		}
		if !a.isFull(r.longest()) {
			return a.grant(r), nil
		}
		if err := a.wait(ctx); err != nil {
			return grant, err
		}
	}
}

// refusing returns the outermost account whose limit an amount reaches, whatever the requests
// in flight use; nil if there is none.
func (a *account) refusing(more journal.Amount) (by *account) {
	for ; a != nil; a = a.around {
		if a.reaches(a.spent.Plus(more)) {
			by = a
		}
	}
	return by
}

// isFull reports whether an amount has no room beside the requests in flight.
func (a *account) isFull(more journal.Amount) bool {
	for ; a != nil; a = a.around {
		if a.inFlight > 0 && a.reaches(a.spent.Plus(a.reserved).Plus(more)) {
			return true
		}
	}
	return false
}

// reaches reports whether an amount reaches the limit.
func (a *account) reaches(x journal.Amount) bool {
	return a.limit.Tokens > 0 && x.Tokens >= a.limit.Tokens || a.limit.CostUSD > 0 && x.CostUSD >= a.limit.CostUSD
}

// wait waits until a request is no longer in flight. mu is held.
func (a *account) wait(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.done.Broadcast()
	})
	defer stop()
	a.done.Wait()
	return context.Cause(ctx)
}

// grant reserves what a request may use.
func (a *account) grant(r request) (grant steps.Grant) {
	for at := a; at != nil; at = at.around {
		if most := at.rest(r); most > 0 && (grant.OutputTokens == 0 || most < grant.OutputTokens) {
			grant.OutputTokens, grant.BudgetOf = most, at.of
		}
	}
	if most := grant.OutputTokens; most > 0 {
		r.OutputTokens = min(r.OutputTokens, most)
	}
	reserved := r.longest()
	for at := a; at != nil; at = at.around {
		at.reserved = at.reserved.Plus(reserved)
		at.inFlight++
	}
	grant.Settle = func([]steps.Spent) { a.settle(reserved) }
	return grant
}

// rest returns for how many tokens of an answer the account pays; 0 sets no limit.
func (a *account) rest(r request) (most int64) {
	input := r.worth(r.InputTokens, 0)
	gone := a.spent.Plus(a.reserved).Plus(input)
	if a.limit.Tokens > 0 {
		most = max(a.limit.Tokens-gone.Tokens, 1)
	}
	const million = 1_000_000
	price := r.worth(r.InputTokens, million).Minus(input).CostUSD
	if a.limit.CostUSD <= 0 || price <= 0 {
		return most
	}
	paid := (a.limit.CostUSD - gone.CostUSD) / price * million
	paidTokens := max(int64(min(paid, math.MaxInt32)+1e-6), 1)
	if most == 0 || paidTokens < most {
		return paidTokens
	}
	return most
}

// settle ends a reservation, and warns of each account that is overspent by now. A single
// answer can do that, since its length is not known before it has come.
func (a *account) settle(reserved journal.Amount) {
	var overspent []string
	a.mu.Lock()
	for at := a; at != nil; at = at.around {
		at.reserved = at.reserved.Minus(reserved)
		at.inFlight--
		over := at.limit.Tokens > 0 && at.spent.Tokens > at.limit.Tokens || at.limit.CostUSD > 0 && at.spent.CostUSD > at.limit.CostUSD
		if over && !at.overspent {
			at.overspent = true
			overspent = append(overspent, "the last answer went over the budget: "+at.used(at.spent))
		}
	}
	a.done.Broadcast()
	a.mu.Unlock()
	for _, text := range overspent {
		a.warn(text)
	}
}

// usedUp returns the error for a request that the account refuses.
func (a *account) usedUp(next journal.Amount) error {
	hint, option := "raise budget.tokens in the workflow", ""
	if a.reachesCost(a.spent.Plus(next)) {
		hint = "raise budget.cost_usd in the workflow"
		if a.of == "" {
			option = OptionBudgetUSD
		}
	}
	message := "the run's budget is used up: " + a.used(a.spent)
	if !a.reaches(a.spent) {
		message = "the run's budget is too small: " + a.lacks(next)
	}
	return &steps.Error{Kind: steps.KindBudget, Hint: hint, Option: option, Message: message, BudgetOf: a.of}
}

// used says how much is used of the limit that an amount reaches.
func (a *account) used(reaches journal.Amount) string {
	known := a.spent.Minus(a.perhaps)
	text, perhaps := fmt.Sprintf("%s of %s tokens used", quantity.Thousands(known.Tokens), quantity.Thousands(a.limit.Tokens)), quantity.Thousands(a.perhaps.Tokens)
	if a.reachesCost(reaches) {
		text, perhaps = fmt.Sprintf("%s of %s USD used", quantity.USD(known.CostUSD), quantity.USD(a.limit.CostUSD)), quantity.USD(a.perhaps.CostUSD)
	}
	if a.perhaps != (journal.Amount{}) {
		text += ", and up to " + perhaps + " by requests that were in flight when flow was killed"
	}
	return text
}

// lacks says why the rest of the limit is too little for a request.
func (a *account) lacks(next journal.Amount) string {
	with, left := a.spent.Plus(next), a.limit.Minus(a.spent)
	text := fmt.Sprintf("the next request may need %s or more, and %s of %s are left", quantity.Count(next.Tokens, "token"), quantity.Thousands(left.Tokens), quantity.Thousands(a.limit.Tokens))
	if a.reachesCost(with) {
		text = fmt.Sprintf("the next request may cost %s USD or more, and %s of %s are left", quantity.USD(next.CostUSD), quantity.USD(left.CostUSD), quantity.USD(a.limit.CostUSD))
	}
	if a.perhaps != (journal.Amount{}) {
		text += " (" + a.used(with) + ")"
	}
	return text
}

// reachesCost reports whether an amount reaches the limit of the cost, and not that of the
// tokens.
func (a *account) reachesCost(x journal.Amount) bool {
	return a.limit.CostUSD > 0 && (a.limit.Tokens == 0 || x.Tokens < a.limit.Tokens)
}
