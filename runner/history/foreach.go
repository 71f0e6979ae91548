package history

import (
	"iter"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A Foreach is one that has begun.
type Foreach struct {
	List    Decision // what its elements are
	Count   int      // with the elements that are left out
	LeftOut []int

	Open map[int]*Unit // the elements that have not ended, or in which something did not succeed

	good map[int]*[pageSize]goodElement // the others that have records, of which there may be very many
}

const pageSize = 64

// A goodElement is what is kept of an element in which everything has succeeded. Numbers and offsets are as
// in [Unit]; the zero value is none.
type goodElement struct {
	ended, beganSeq, endSeq, listed int64
	more                            *moreOfElement // nil: it had one attempt, and no units inside
}

type moreOfElement struct {
	attempt   int
	resultSeq int64
	inner     []int64
	hides     bool
}

func newForeach() *Foreach {
	return &Foreach{Open: map[int]*Unit{}, good: map[int]*[pageSize]goodElement{}}
}

// goodAt returns where an element is kept in which everything has succeeded; nil: no such page is there.
func (f *Foreach) goodAt(index int) *goodElement {
	if page := f.good[index/pageSize]; page != nil {
		return &page[index%pageSize]
	}
	return nil
}

// allGood iterates over the elements in which everything has succeeded, by their indexes, and over gaps.
func (f *Foreach) allGood() iter.Seq2[int, *goodElement] {
	return func(yield func(int, *goodElement) bool) {
		for n, page := range f.good {
			for i := range page {
				if !yield(n*pageSize+i, &page[i]) {
					return
				}
			}
		}
	}
}

// settle keeps only what a resumed run needs of an element if it and everything inside it has succeeded.
func (u *Unit) settle() {
	if !u.isGood() {
		return
	}
	index, _ := u.Unit.Element()
	f := u.Around.Foreach
	endSeq, worked := u.Done()
	e := goodElement{ended: u.Ended, beganSeq: u.BeganSeq, endSeq: endSeq, listed: u.Listed}
	if u.Attempt != 1 || worked != endSeq || u.Inner != nil || u.Hides {
		e.more = &moreOfElement{u.Attempt, worked, u.Inner, u.Hides}
	}
	if f.good[index/pageSize] == nil {
		f.good[index/pageSize] = &[pageSize]goodElement{}
	}
	*f.goodAt(index) = e
	delete(f.Open, index)
}

// elementAt returns an element, and adds it if it is not there.
func (u *Unit) elementAt(index int) *Unit {
	if u.Foreach == nil {
		u.Foreach = newForeach()
	}
	if u.Open[index] == nil {
		e := u.ElementOf(index)
		if e == nil {
			e = &Unit{Part: true, element: true}
		}
		_, e.Inner, _ = u.RecordsOf(index)
		e.Around, e.Ended, e.Status = u, 0, ""
		u.Open[index] = e
		if good := u.goodAt(index); good != nil {
			*good = goodElement{}
		}
	}
	return u.Open[index]
}

// ElementOf returns what is known of an element; nil if nothing is, or the unit is no foreach. Of one that
// succeeded, and is not open, only what a resumed run needs is there.
func (u *Unit) ElementOf(index int) *Unit {
	if u.Foreach == nil {
		return nil
	}
	if open := u.Open[index]; open != nil {
		return open
	}
	e := u.goodAt(index)
	if e == nil || e.ended == 0 {
		return nil
	}
	more := moreOfElement{attempt: 1, resultSeq: e.endSeq}
	if e.more != nil {
		more = *e.more
	}
	return &Unit{
		Unit: u.Unit.WithElement(index), Part: true, element: true, Ended: e.ended, Status: steps.Succeeded, Inner: more.inner,
		Attempt: more.attempt, BeganSeq: e.beganSeq, EndSeq: e.endSeq, ResultSeq: more.resultSeq, Listed: e.listed, Begun: true, Hides: more.hides,
		Expense: Expense{UsedAt: e.ended},
	}
}

// Indexes returns the sorted indexes of the elements that have records.
func (f *Foreach) Indexes() (all []int) {
	for index := range f.Open {
		all = append(all, index)
	}
	for index, e := range f.allGood() {
		if e.ended != 0 {
			all = append(all, index)
		}
	}
	slices.Sort(all)
	return all
}

// RecordsOf returns the offsets of an element's records: of its result, 0 if it has not ended, and of the
// results, and the lists, of units inside it. good reports whether it has succeeded.
func (f *Foreach) RecordsOf(index int) (ended int64, inner []int64, good bool) {
	if open := f.Open[index]; open != nil {
		return open.Ended, open.Inner, open.Status == steps.Succeeded
	}
	e := f.goodAt(index)
	if e == nil {
		return 0, nil, false
	}
	if e.more != nil {
		inner = e.more.inner
	}
	return e.ended, inner, e.ended != 0
}

// Hide reports whether a secret is hidden in the result of an element: see [Unit.Hides].
func (f *Foreach) Hide() bool {
	for _, open := range f.Open {
		if open.Hides {
			return true
		}
	}
	for _, e := range f.allGood() {
		if e.more != nil && e.more.hides {
			return true
		}
	}
	return false
}

// doneOf returns [Unit.Done] of all elements.
func (f *Foreach) doneOf() (end, worked int64) {
	for _, open := range f.Open {
		e, w := open.Done()
		end, worked = max(end, e), max(worked, w)
	}
	for _, e := range f.allGood() {
		end = max(end, e.endSeq)
		if e.more != nil {
			worked = max(worked, e.more.resultSeq)
		} else {
			worked = max(worked, e.endSeq)
		}
	}
	return end, worked
}

// forgetElements is [Unit.forget] for the elements of a foreach.
func (u *Unit) forgetElements(from journal.Address) (found bool) {
	for _, index := range u.Indexes() {
		switch address, open := u.Unit.WithElement(index), u.Open[index]; {
		case from.Contains(address):
			open = u.elementAt(index)
			open.Unit = address
			u.Open[index] = open.cleared()
		case !isAround(address, from):
			continue
		case open == nil: // of what is inside one that succeeded only the offsets are known
			u.goodAt(index).ended = 0
		default:
			open.forget(from)
			open.Ended = 0
		}
		found = true
	}
	return found
}
