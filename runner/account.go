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

// An account is the budget of a workflow, or of a step, in a run. What is spent is the sum of the
// records; what requests in flight may use is reserved, so that they can't overshoot together. A
// nil account has no limit.
type account struct {
	*accounts
	limit  journal.Amount // a zero field sets none
	of     string         // the unit that uses the workflow, with its attempt, or that has the budget; "" at the top
	step   string         // the path of the step that has it; "" of a workflow
	around *account       // of the next budget around it
	ender  *ender         // nil: once the budget is used up, that is a failure

	spent, reserved journal.Amount
	perhaps         journal.Amount // of spent: the most that requests used of which nobody knows, as flow was killed
	inFlight        int            // requests
	overspent       bool           // a warning says so
	stops           bool           // it is what the limits of a step leave for its calls, and no budget
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

// open returns the account of a budget, or the one around it if it has no limit of tokens or money.
func (all *accounts) open(b workflows.Budget, of string, around *account) *account {
	limit := journal.Amount{Tokens: b.Tokens, CostUSD: b.CostUSD}
	if limit == (journal.Amount{}) && !b.GoesOn {
		return around
	}
	return &account{accounts: all, limit: limit, of: of, around: around}
}

// A request is what a request to a model may use.
type request struct {
	steps.Estimate                                          // the last one of an agent is held to no budget that goes on
	worth          func(input, output int64) journal.Amount // of tokens; the cost is 0 if it is not known
}

func (r request) shortest() journal.Amount { return r.worth(r.InputTokens, r.LeastOutput) }
func (r request) longest() journal.Amount  { return r.worth(r.InputTokens, r.OutputTokens) }

// take counts what a record says was used.
func (a *account) take(r *journal.Record) {
	perhaps := journal.Amount{}
	if r.About == journal.Inner && r.Data == nil {
		perhaps = r.Spent
	}
	a.count(r.Amount(), perhaps)
}

// count counts what was used, and how much of that nobody knows for certain.
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
	grant, by, err := a.admit(ctx, r)
	if by != nil && by.ender != nil {
		if why := by.ender.end(err.(*steps.Error)); why != nil {
			err = why
		}
	}
	return grant, err
}

// admit is [account.reserve], and returns the account that refuses the request; nil if none does.
func (a *account) admit(ctx context.Context, r request) (grant steps.Grant, by *account, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for least := r.shortest(); ; {
		if by = a.refusing(least, r.Last); by != nil {
			return grant, by, by.usedUp(least)
		}
		if !a.isFull(r.longest(), r.Last) {
			return a.grant(r), nil, nil
		}
		if err := a.wait(ctx); err != nil {
			return grant, nil, err
		}
	}
}

// refusing returns the outermost account that has ended, or whose limit an amount reaches, whatever the
// requests in flight use; nil if there is none.
func (a *account) refusing(more journal.Amount, last bool) (by *account) {
	for ; a != nil; a = a.around {
		if a.binds(last) && (a.ender.ended() != nil || a.reached(a.spent.Plus(more)) != nil) {
			by = a
		}
	}
	return by
}

// binds reports whether the account bounds a request: one that goes on leaves an agent its last one.
func (a *account) binds(last bool) bool { return a.ender == nil || !last }

// isFull reports whether an amount has no room beside the requests in flight.
func (a *account) isFull(more journal.Amount, last bool) bool {
	for ; a != nil; a = a.around {
		if a.binds(last) && a.inFlight > 0 && a.reached(a.spent.Plus(a.reserved).Plus(more)) != nil {
			return true
		}
	}
	return false
}

// reached returns the measure in which an amount reaches the limit; nil if it reaches none.
func (a *account) reached(x journal.Amount) *measure {
	for i := range measures {
		m := &measures[i]
		if limit := m.of(a.limit); limit > 0 && m.of(x) >= limit {
			return m
		}
	}
	return nil
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
		if at.ender != nil {
			continue // it ends an agent between two requests
		}
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
	const million = 1_000_000
	input := r.worth(r.InputTokens, 0)
	left := a.limit.Minus(a.spent).Minus(a.reserved).Minus(input)
	perMillion := r.worth(r.InputTokens, million).Minus(input)
	for _, m := range measures {
		if m.of(a.limit) <= 0 || m.of(perMillion) <= 0 {
			continue
		}
		paid := max(int64(min(m.of(left)/m.of(perMillion)*million, math.MaxInt32)+1e-6), 1)
		if most == 0 || paid < most {
			most = paid
		}
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
		if m := at.reached(at.spent); m != nil && m.of(at.spent) > m.of(at.limit) && !at.overspent {
			at.overspent = true
			overspent = append(overspent, "the last answer went over "+at.name()+": "+at.used(m))
		}
	}
	a.done.Broadcast()
	a.mu.Unlock()
	for _, text := range overspent {
		a.warn(text)
	}
}

// A measure is one in which a budget is limited.
type measure struct {
	of   func(journal.Amount) float64
	say  func(journal.Amount) string
	unit string
	need string // what a request does with so much of it
	key  string // of the budget in a workflow
}

var measures = []measure{
	{
		func(x journal.Amount) float64 { return float64(x.Tokens) }, func(x journal.Amount) string { return quantity.Thousands(x.Tokens) },
		"tokens", "need", "tokens",
	},
	{
		func(x journal.Amount) float64 { return x.CostUSD }, func(x journal.Amount) string { return quantity.USD(x.CostUSD) },
		"USD", "cost", "cost_usd",
	},
}

// usedUp returns the error for a request that the account refuses.
func (a *account) usedUp(next journal.Amount) *steps.Error {
	if why := a.ender.ended(); why != nil {
		return why
	}
	m := a.reached(a.spent.Plus(next))
	err := &steps.Error{Kind: steps.KindBudget, Hint: raiseBudget(m.key, a.step), BudgetOf: a.of, Continues: a.ender != nil}
	if a.stops {
		err.Hint = "raise stop.max_" + m.key
	}
	if m.key == "cost_usd" && a.of == "" {
		err.Option = OptionBudgetUSD
	}
	if a.reached(a.spent) != nil {
		err.Message = a.name() + " is used up: " + a.used(m)
		return err
	}
	left := a.limit.Minus(a.spent)
	err.Message = fmt.Sprintf("%s is too small: the next request may %s %s %s or more, and %s of %s are left", a.name(), m.need, m.say(next), m.unit, m.say(left), m.say(a.limit))
	if a.perhaps != (journal.Amount{}) {
		err.Message += " (" + a.used(m) + ")"
	}
	return err
}

// name is what people call the budget.
func (a *account) name() string {
	switch {
	case a.stops:
		return "what the step leaves for its calls"
	case a.step == "":
		return "the run's budget"
	}
	return fmt.Sprintf("the budget of %q", a.step)
}

// raiseBudget returns the hint to raise a limit of a workflow's budget, or of a step's.
func raiseBudget(key, step string) string {
	if step == "" {
		return "raise budget." + key + " in the workflow"
	}
	return fmt.Sprintf("raise budget.%s of step %q", key, step)
}

// used says how much is used of the limit in a measure.
func (a *account) used(m *measure) string {
	text := fmt.Sprintf("%s of %s %s used", m.say(a.spent.Minus(a.perhaps)), m.say(a.limit), m.unit)
	if a.perhaps != (journal.Amount{}) {
		text += ", and up to " + m.say(a.perhaps) + " by requests that were in flight when flow was killed"
	}
	return text
}
