package runner

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/past"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Shelves read the results of a run's steps from the journal in a folder.
type shelves struct {
	dir   string
	order map[string]int // of the steps, by path, from 1
	steps []journal.Step
}

func newShelves(dir string, list []journal.Step) *shelves {
	s := &shelves{dir: dir, order: make(map[string]int, len(list)), steps: list}
	for i, step := range list {
		s.order[step.Path] = i + 1
	}
	return s
}

// results returns the results of the steps inside a unit that have records, in the order of
// the file. Steps that it does not name, from before the files changed, come last.
func (s *shelves) results(from *journal.Reader, of *past.Unit) (StepResults, error) {
	results := StepResults{}
	for u := range of.All(false) {
		if u.Unit.IsZero() {
			continue
		}
		r, err := s.result(from, u)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	rank := func(r *StepResult) int { return cmp.Or(s.order[r.path], len(s.order)+1) }
	slices.SortFunc(results, func(a, b *StepResult) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.path, b.path))
	})
	return results, nil
}

// result returns the result of a step, as far as it is known.
func (s *shelves) result(from *journal.Reader, u *past.Unit) (*StepResult, error) {
	r := &StepResult{Unit: u.Unit, path: u.Unit.Path()}
	if at := s.order[r.path]; at > 0 {
		r.Kind = workflows.Kind(s.steps[at-1].Kind)
	}
	shelf := &pastShelf{shelves: s, unit: u}
	if u.Ended != 0 {
		of, data, err := from.DataAt(u.Ended)
		if err == nil {
			err = r.UnmarshalJSON(data)
		}
		r.forgive, r.fatal = of.Forgiven, of.Fatal
		if err == nil && u.IsFan() {
			r.elements = &elements{shelf: shelf, count: u.Count - len(u.LeftOut)}
			err = json.Unmarshal(data, &shelf)
		}
		return r, err
	}
	if !u.Began.IsZero() {
		r.Started = &u.Began
	}
	if round := u.Round(); round > 1 {
		r.Rounds = round
	}
	if u.IsFan() {
		for index, e := range u.Elements {
			if e.Ended != 0 {
				shelf.indices = append(shelf.indices, index)
			}
		}
		slices.Sort(shelf.indices)
		r.elements = &elements{shelf: shelf, count: len(shelf.indices)}
	}
	return r, nil
}

// A pastShelf reads the elements of a foreach from the journal of a run that is over, or that
// another process works in.
type pastShelf struct {
	*shelves
	unit    *past.Unit
	indices []int // of the elements that have ended, if the foreach has not

	Never *stepLine `json:"never"` // the result of each element that did not begin

	once  sync.Once
	items []any
	err   error
}

// index returns the index of the i-th element in the list, with those that are left out.
func (s *pastShelf) index(i int) int {
	if s.unit.Ended == 0 {
		return s.indices[i]
	}
	return indexOf(i, s.unit.LeftOut)
}

func (s *pastShelf) element(i int) (*ElementResult, error) {
	from, err := journal.OpenReader(s.dir)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	index := s.index(i)
	item, err := s.item(from, index)
	if err != nil {
		return nil, err
	}
	known := s.unit.Elements[index]
	if known == nil || known.Ended == 0 {
		return s.never(index, item), nil
	}
	of, data, err := from.DataAt(known.Ended)
	if err != nil {
		return nil, err
	}
	element := &ElementResult{}
	if err := element.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	element.forgive, element.fatal = of.Forgiven, of.Fatal
	element.Index, element.Item, element.path = index, item, s.unit.Unit.Path()
	element.inner, err = s.inside(from, index, known.Inner)
	return element, err
}

// never returns an element that did not begin.
func (s *pastShelf) never(index int, item any) *ElementResult {
	e := &ElementResult{Index: index, Item: item, Label: beginning(labelOf(item))}
	if s.Never != nil {
		e.setLine(*s.Never)
	} else {
		e.Result = steps.Result{Status: steps.Cancelled}
	}
	return e
}

// item returns an item of the list, which is read once.
func (s *pastShelf) item(from *journal.Reader, index int) (any, error) {
	s.once.Do(func() {
		var data []byte
		if _, data, s.err = from.DataAt(s.unit.List); s.err == nil {
			s.items, s.err = itemsIn(data, s.unit.Count)
		}
	})
	switch {
	case s.err != nil:
		return nil, fmt.Errorf("step %q: %w", s.unit.Unit.Path(), s.err)
	case index >= len(s.items):
		return nil, fmt.Errorf("step %q: there is no element %d: the list has %d", s.unit.Unit.Path(), index, len(s.items))
	}
	return s.items[index], nil
}

// inside returns the results of the steps inside an element, whose records are at these
// offsets.
func (s *pastShelf) inside(from *journal.Reader, index int, offsets []int64) (StepResults, error) {
	run := past.Run{Whole: true}
	for _, offset := range offsets {
		r, err := from.At(offset)
		if err != nil {
			return nil, err
		}
		run.Take(&r)
	}
	element := run.Top.At(s.unit.Unit.WithElement(index))
	if element == nil {
		return nil, nil
	}
	return s.results(from, element)
}
