package plan

import (
	"math"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// smallest is the smallest bound: 0 would be none.
const smallest = math.SmallestNonzeroFloat64

// A Ledger bounds what a workflow may spend. What was spent is known from the records;
// what a request may use is reserved before it is made, so that concurrent requests
// can't overshoot together. A reservation is not recorded: it ends with its process, and
// the record with which the unit continues has what its request may have used.
type Ledger struct {
	tokens  int64   // 0: no bound
	costUSD float64 // 0: no bound
	around  *Ledger // of the workflow that uses this one; nil at the top

	spent, reserved journal.Amount
	holders         int
}

// A Request is what a request to a model may use.
type Request struct {
	Input       int64 // tokens
	Output      int64 // the most tokens that the answer may have
	LeastOutput int64 // the fewest tokens with which an answer is of use

	// Worth returns these tokens with their cost, which is 0 if it is not known.
	Worth func(input, output int64) journal.Amount
}

// A Verdict says whether a request may be made.
type Verdict struct {
	Wait   bool    // not before another reservation is settled
	By     *Ledger // the ledger that refuses it for good; nil if none does
	Output int64   // the most tokens that the answer may have; 0 sets no bound
	Bound  *Ledger // the ledger that sets this bound

	Reserved []journal.Amount // for [Ledger.Settle]: in each ledger, from the inside out
}

// Ledger returns the ledger that bounds the requests of a unit.
func (p *Plan) Ledger(u journal.Unit) (*Ledger, error) {
	j, _, err := p.find(u)
	if err != nil {
		return nil, err
	}
	return j.ledger(), nil
}

// Spent returns what was used so far.
func (l *Ledger) Spent() journal.Amount { return l.spent }

// Around returns the ledger of the workflow that uses this one's; nil at the top.
func (l *Ledger) Around() *Ledger { return l.around }

// Bounds returns what may be spent; a zero field sets no bound.
func (l *Ledger) Bounds() journal.Amount { return journal.Amount{Tokens: l.tokens, CostUSD: l.costUSD} }

// Exceeded reports whether more was spent than the bounds allow. A single answer can do
// that, since its length is not known before it has come.
func (l *Ledger) Exceeded() bool {
	return l.tokens > 0 && l.spent.Tokens > l.tokens || l.costUSD > 0 && l.spent.CostUSD > l.costUSD
}

// Reserve reserves what a request may use, in this ledger and all around it, or in none
// of them. If no other request holds a reservation, it is let through as long as the rest
// of the budget pays for a useful answer; the verdict bounds the answer to that.
func (l *Ledger) Reserve(r Request) Verdict {
	v := l.judge(r)
	if v.Wait || v.By != nil {
		return v
	}
	for at := l; at != nil; at = at.around {
		most, want := at.affords(r), r.Worth(r.Input, r.Output)
		if most > 0 && most < r.Output {
			want = r.Worth(r.Input, most)
		}
		at.reserved = at.reserved.Plus(want)
		at.holders++
		v.Reserved = append(v.Reserved, want)
		if most > 0 && shorter(v.Output, most) == most {
			v.Output, v.Bound = most, at
		}
	}
	return v
}

// judge says whether a request fits, asking the ledgers from the outside in.
func (l *Ledger) judge(r Request) (v Verdict) {
	if l.around != nil {
		if v = l.around.judge(r); v.By != nil {
			return v
		}
	}
	if l.reaches(l.spent.Plus(r.Worth(r.Input, r.LeastOutput))) {
		return Verdict{By: l}
	}
	v.Wait = v.Wait || l.holders > 0 && l.reaches(l.spent.Plus(l.reserved).Plus(r.Worth(r.Input, r.Output)))
	return v
}

// Settle ends a reservation, after the plan has taken the record of what the request
// used.
func (l *Ledger) Settle(v Verdict) {
	for _, reserved := range v.Reserved {
		l.reserved = l.reserved.Minus(reserved)
		l.holders--
		l = l.around
	}
}

// affords returns the most tokens of an answer for which the budget pays beside all
// reservations; 0 if there is no bound.
func (l *Ledger) affords(r Request) (most int64) {
	gone := l.spent.Plus(l.reserved).Plus(r.Worth(r.Input, 0))
	if l.tokens > 0 {
		most = max(l.tokens-gone.Tokens, 1)
	}
	const million = 1_000_000
	if price := r.Worth(0, million).CostUSD; l.costUSD > 0 && price > 0 {
		paid := (l.costUSD - gone.CostUSD) / price * million
		most = shorter(most, max(int64(min(paid, math.MaxInt32)+1e-6), 1))
	}
	return most
}

// reaches reports whether an amount reaches a bound.
func (l *Ledger) reaches(a journal.Amount) bool {
	return l.tokens > 0 && a.Tokens >= l.tokens || l.costUSD > 0 && a.CostUSD >= l.costUSD
}

// shorter returns the smaller of two bounds; 0 stands for none.
func shorter(a, b int64) int64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}
