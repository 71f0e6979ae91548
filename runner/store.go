package runner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A store reads the results of units back from the journal of a run.
type store struct {
	from   func() (*journal.Reader, error) // is open as long as the store is used
	folder *folder                         // for whole texts
	order  order
	steps  []journal.Step
	mask   *tools.Mask // hides secrets in labels; nil hides nothing

	mu    sync.Mutex
	lists map[int64][]any // the lists that were read, by their offsets
}

// newStore returns a store for the steps of a run, which opens its journal when it is first read.
func newStore(of *journal.Reader, list []journal.Step) *store {
	return &store{from: sync.OnceValues(of.Again), order: orderOf(list), steps: list, lists: map[int64][]any{}}
}

// recordAt reads a record and its data.
func (s *store) recordAt(at int64) (of journal.Record, data []byte, err error) {
	from, err := s.from()
	if err != nil {
		return of, nil, err
	}
	return from.DataAt(at)
}

// dataAt is recordAt without the record.
func (s *store) dataAt(at int64) (data []byte, err error) {
	from, err := s.from()
	if err != nil {
		return nil, err
	}
	return from.OnlyDataAt(at)
}

// result returns the result of a unit, with everything inside it, as far as it is known.
func (s *store) result(u *history.Unit) (*StepResult, error) {
	if u.Ended == 0 {
		return s.unended(u)
	}
	r, err := s.readEnd(u.Ended)
	switch {
	case err != nil:
		return nil, err
	case u.HasElements():
		r.elements = s.elementsOf(u)
		r.elements.never = r.never
	default:
		r.inner, err = s.inside(u)
	}
	return r, err
}

// readEnd reads the record with the result of a unit.
func (s *store) readEnd(at int64) (*StepResult, error) {
	of, data, err := s.recordAt(at)
	if err != nil {
		return nil, err
	}
	r := &StepResult{}
	if err := r.restore(journal.Unnamed(data), s.folder); err != nil {
		return nil, fmt.Errorf("record %d: %w", of.Seq, err)
	}
	r.Unit, r.path = of.Unit.WithAttempt(0), of.Unit.Path()
	r.Kind = s.kindOf(r.path)
	r.forgive, r.fatal = of.Forgiven, of.Fatal
	r.at = at
	return r, nil
}

func (s *store) kindOf(path string) workflows.Kind {
	if i := s.order.rank(path); i < len(s.steps) {
		return workflows.Kind(s.steps[i].Kind)
	}
	return ""
}

// unended returns what is known of a unit that has not ended.
func (s *store) unended(u *history.Unit) (r *StepResult, err error) {
	r = &StepResult{Unit: u.Unit, path: u.Unit.Path()}
	r.Kind = s.kindOf(r.path)
	if r.Used, err = usedBy(u.Expense, s.recordAt); err != nil {
		return nil, err
	}
	if !u.Began.IsZero() {
		r.Started = &u.Began
	}
	if round := u.Round(); round > 1 {
		r.Rounds = round
	}
	if !u.HasElements() {
		r.inner, err = s.inside(u)
		return r, err
	}
	r.elements = s.elementsOf(u)
	r.elements.endedOnly = []int{}
	for _, index := range u.Indexes() {
		if ended, _, _ := u.RecordsOf(index); ended != 0 {
			r.elements.endedOnly = append(r.elements.endedOnly, index)
		}
	}
	return r, nil
}

// inside returns the results of the steps directly inside a unit that have records, in the order
// of the file. Steps that it does not name, from before the files changed, come last. What the calls of an
// agent run has no results: they are in the answers.
func (s *store) inside(u *history.Unit) (results []*StepResult, err error) {
	if s.kindOf(u.Unit.Path()) == workflows.KindPrompt {
		return nil, nil
	}
	for _, step := range u.Steps {
		if step.Unit.IsZero() {
			more, err := s.inside(step)
			if err != nil {
				return nil, err
			}
			results = append(results, more...)
			continue
		}
		r, err := s.result(step)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	slices.SortFunc(results, func(a, b *StepResult) int {
		return cmp.Or(cmp.Compare(s.order.rank(a.path), s.order.rank(b.path)), strings.Compare(a.path, b.path))
	})
	return results, nil
}

// insideElement is inside for an element, whose records are at these offsets.
func (s *store) insideElement(element journal.Address, offsets []int64) ([]*StepResult, error) {
	if len(offsets) == 0 || s.kindOf(element.Path()) == workflows.KindPrompt {
		return nil, nil
	}
	run := history.Run{Whole: true}
	for _, offset := range offsets {
		r, _, err := s.recordAt(offset)
		if err != nil {
			return nil, err
		}
		run.Take(&r)
	}
	u := run.Top.At(element)
	if u == nil {
		return nil, nil
	}
	return s.inside(u)
}

// elementsOf returns the elements of a foreach.
func (s *store) elementsOf(u *history.Unit) *elements {
	return &elements{store: s, unit: u.Unit, mask: s.mask, Foreach: u.Foreach}
}

// items returns the list of a foreach, by the offset of its record.
func (s *store) items(list int64) ([]any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if items, known := s.lists[list]; known {
		return items, nil
	}
	data, err := s.dataAt(list)
	if err != nil {
		return nil, err
	}
	var all journal.List
	if err := jsonline.Decode(journal.Unnamed(data), &all); err != nil {
		return nil, fmt.Errorf("the list of a foreach: %w", err)
	}
	s.lists[list] = all.Items
	return all.Items, nil
}
