package runner

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// results returns the results of the steps that were heard of, in the order of the file.
func (p *pastUnits) results(dir string, from *journal.Reader, order []record.Step) (StepResults, error) {
	results := StepResults{}
	known := make(map[string]bool, len(order))
	list := order[:len(order):len(order)]
	for _, step := range order {
		known[step.Path] = true
	}
	for path := range p.steps { // of an earlier flow, or of files that have changed
		if !known[path] {
			list = append(list, record.Step{Path: path})
		}
	}
	slices.SortFunc(list[len(order):], func(a, b record.Step) int { return strings.Compare(a.Path, b.Path) })
	for _, step := range list {
		past := p.steps[step.Path]
		if past == nil || past.unit.IsZero() && past.elements == nil {
			continue
		}
		r, err := past.result(dir, from, order, step)
		if err != nil {
			return nil, err
		}
		if round := p.rounds[step.Path].round; r.Status == "" && round > 1 {
			r.Rounds = round
		}
		results = append(results, r)
	}
	return results, nil
}

// result is what the step came to, as far as it is known.
func (s *pastStep) result(dir string, from *journal.Reader, order []record.Step, is record.Step) (*StepResult, error) {
	r := &StepResult{Kind: workflows.Kind(is.Kind), Unit: s.unit, path: is.Path}
	shelf := &pastShelf{dir: dir, order: order, step: s, path: is.Path}
	if s.ended == 0 {
		if began := s.began; !began.IsZero() {
			r.Started = &began
		}
		for index, e := range s.elements {
			if e.ended != 0 {
				shelf.indices = append(shelf.indices, index)
			}
		}
		slices.Sort(shelf.indices)
		if s.list != 0 {
			r.elements = &elements{shelf: shelf, count: len(shelf.indices)}
		}
		return r, nil
	}
	_, data, err := from.DataAt(s.ended)
	if err == nil {
		err = r.UnmarshalJSON(data)
	}
	if err == nil && s.list != 0 {
		r.elements = &elements{shelf: shelf, count: s.count - len(s.leftOut)}
		err = json.Unmarshal(data, &shelf)
	}
	return r, err
}

// A pastShelf has the elements of a foreach where the journal of their run has them.
type pastShelf struct {
	dir     string
	order   []record.Step // of the run
	step    *pastStep
	path    string
	indices []int // of the elements that have ended, where the foreach has not

	Never *stepLine `json:"never"` // what the elements came to that did not begin

	once  sync.Once
	items []json.RawMessage
	err   error
}

// index returns the index of the i-th element in the list, with those that are left out.
func (s *pastShelf) index(i int) int {
	if s.step.ended == 0 {
		return s.indices[i]
	}
	return indexOf(i, s.step.leftOut)
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
	past := s.step.elements[index]
	if past == nil || past.ended == 0 {
		return s.never(index, item), nil
	}
	_, data, err := from.DataAt(past.ended)
	if err != nil {
		return nil, err
	}
	element := &ElementResult{}
	if err := element.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	element.Index, element.Item, element.path = index, item, s.path
	element.inner, err = past.inside(s, from)
	return element, err
}

// never is an element that did not begin.
func (s *pastShelf) never(index int, item any) *ElementResult {
	label := []rune(labelOf(item))
	e := &ElementResult{Index: index, Item: item, Label: string(label[:min(len(label), mostItemText)])}
	if s.Never != nil {
		e.take(*s.Never)
	} else {
		e.Result = steps.Result{Status: steps.Cancelled}
	}
	return e
}

// item is an element of the list. It is read once, and kept.
func (s *pastShelf) item(from *journal.Reader, index int) (any, error) {
	s.once.Do(func() {
		var data json.RawMessage
		if _, data, s.err = from.DataAt(s.step.list); s.err == nil {
			s.err = json.Unmarshal(data, &s.items)
		}
	})
	switch {
	case s.err != nil:
		return nil, s.err
	case index >= len(s.items):
		return nil, fmt.Errorf("step %q: there is no element %d: the list has %d", s.path, index, len(s.items))
	}
	var item any
	err := decode(s.items[index], &item)
	return tools.ExactNumbers(item), err
}

// inside are the results of the steps inside of an element.
func (e *pastElement) inside(s *pastShelf, from *journal.Reader) ([]*StepResult, error) {
	if len(e.inner) == 0 {
		return nil, nil
	}
	units := newPastUnits(strings.Count(s.step.unit.String(), "/") + 1)
	for _, place := range e.inner {
		r, err := from.At(place)
		if err != nil {
			return nil, err
		}
		units.take(r)
	}
	return units.results(s.dir, from, s.order)
}
