package plan

import (
	"math"

	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/runner/unit"
)

// smallest is the least that can be spent.
const smallest = math.SmallestNonzeroFloat64

// A Ledger bounds what a workflow may spend: what was spent is known from the
// records, what may be is reserved before a request is made, so that requests that
// run side by side can't overshoot together. A reservation is no record: with the
// process that held it it is gone, and what its request may have used is in the
// record with which the unit goes on.
type Ledger struct {
	tokens  int64   // 0: no bound
	costUSD float64 // 0: no bound
	around  *Ledger // of the workflow that uses this one; nil at the top

	spent, reserved record.Amount
	holders         int
}

// A Request is what is to be reserved for.
type Request struct {
	Input       int64 // tokens
	Output      int64 // tokens that the answer may have
	LeastOutput int64 // tokens below which an answer is of no use

	// Worth is what these tokens come to; the cost is 0 where it is not known.
	Worth func(input, output int64) record.Amount
}

// A Verdict is whether a request may be made.
type Verdict struct {
	Wait   bool    // until another one is settled
	By     *Ledger // that refuses it for good; nil where none does
	Output int64   // tokens that the answer may have at most; 0 sets no bound
	Bound  *Ledger // that sets it

	Reserved []record.Amount // for [Ledger.Settle]: of each ledger, from the inside out
}

// Ledger is that which bounds a unit's requests.
func (p *Plan) Ledger(u unit.Unit) (*Ledger, error) {
	j, _, err := p.find(u)
	if err != nil {
		return nil, err
	}
	return j.ledger(), nil
}

// Spent is what was used so far.
func (l *Ledger) Spent() record.Amount { return l.spent }

// Around returns the ledger of the workflow that uses this one's; nil at the top.
func (l *Ledger) Around() *Ledger { return l.around }

// Bounds are what may be spent; a zero field sets no bound.
func (l *Ledger) Bounds() record.Amount { return record.Amount{Tokens: l.tokens, CostUSD: l.costUSD} }

// Exceeded reports whether more was spent than may be. One answer can do that: how long
// it gets is known when it is there.
func (l *Ledger) Exceeded() bool {
	return l.tokens > 0 && l.spent.Tokens > l.tokens || l.costUSD > 0 && l.spent.CostUSD > l.costUSD
}

// Reserve reserves what a request may use, in this ledger and those around it, or in
// none of them. Alone, one is let through as long as what is left pays for an answer
// of use; it may be no longer than that.
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

// judge says whether a request fits, from the outside in.
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

// Settle ends a reservation. What the request used is in a record that the plan has
// taken before.
func (l *Ledger) Settle(v Verdict) {
	for _, reserved := range v.Reserved {
		l.reserved = l.reserved.Minus(reserved)
		l.holders--
		l = l.around
	}
}

// affords is how long an answer, in tokens, what is left pays for, beside what is
// reserved for others; 0 where there is no bound.
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

// reaches reports whether an amount is at a bound.
func (l *Ledger) reaches(a record.Amount) bool {
	return l.tokens > 0 && a.Tokens >= l.tokens || l.costUSD > 0 && a.CostUSD >= l.costUSD
}

// shorter is the smaller of two bounds, of which 0 is none.
func shorter(a, b int64) int64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}
