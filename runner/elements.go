package runner

import (
	"fmt"
	"slices"
	"sort"

	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Elements are the results of a foreach's elements. They are read from the journal, and only those
// that it does not have exactly are held in memory.
type elements struct {
	store *store
	unit  journal.Address // the foreach
	mask  *tools.Mask     // hides secrets when they are written; nil hides nothing

	*history.Foreach        // the list, and where the records of its elements are
	items            []any  // nil: they are read when they are needed
	ended            []bool // which elements have ended since the list was made; nil: those that have a result
	endedOnly        []int  // the indexes of the elements that have ended, if the foreach has not; nil: it has

	inMemory    map[int]*StepResult
	never       *steps.Result // the result of each element that did not begin
	interrupted bool          // the step, or one around it, was when it ended
}

// put sets that an element has ended, with a result of this process; nil: its record has the result.
func (e *elements) put(i int, r *StepResult) {
	e.ended[i] = true
	if at, _, _ := e.RecordsOf(i); r == nil || r.exact && r.at != 0 && r.at == at {
		return
	}
	if e.inMemory == nil {
		e.inMemory = map[int]*StepResult{}
	}
	e.inMemory[i] = r
}

// count returns how many elements there are, without those that are left out.
func (e *elements) count() int {
	if e.endedOnly != nil {
		return len(e.endedOnly)
	}
	return e.Count - len(e.LeftOut)
}

func (e *elements) isLeftOut(i int) bool {
	_, out := slices.BinarySearch(e.LeftOut, i)
	return out
}

// index returns the index in the list of the i-th element that counts.
func (e *elements) index(i int) int {
	if e.endedOnly != nil {
		return e.endedOnly[i]
	}
	return i + sort.Search(len(e.LeftOut), func(n int) bool { return e.LeftOut[n]-n > i })
}

// element returns the i-th element.
func (e *elements) element(i int) (*ElementResult, error) {
	index := e.index(i)
	r, err := e.resultOf(index)
	if r != nil || err != nil {
		return r, err
	}
	item, err := e.item(index)
	if err != nil {
		return nil, err
	}
	never := steps.Result{Status: steps.Cancelled}
	if e.never != nil {
		never = *e.never
	}
	label := beginning(labelOf(item), e.store.mask)
	return &ElementResult{Index: index, Item: item, StepResult: StepResult{Label: label, Kind: e.store.kindOf(e.unit.Path()), path: e.unit.Path(), Result: never}}, nil
}

// resultOf returns the element with an index in the list; nil if it has not ended.
func (e *elements) resultOf(index int) (*ElementResult, error) {
	if !e.hasEnded(index) {
		return nil, nil
	}
	item, err := e.item(index)
	if err != nil {
		return nil, err
	}
	r := e.inMemory[index]
	if r == nil {
		at, inner, _ := e.RecordsOf(index)
		if r, err = e.store.readEnd(at); err != nil {
			return nil, err
		}
		if r.inner, err = e.store.insideElement(e.unit.WithElement(index), inner); err != nil {
			return nil, err
		}
	}
	return &ElementResult{Index: index, Item: item, StepResult: *r}, nil
}

// hasEnded reports whether the element with an index in the list has ended.
func (e *elements) hasEnded(index int) bool {
	if e.ended != nil {
		return e.ended[index]
	}
	at, _, _ := e.RecordsOf(index)
	return at != 0
}

// item returns an item of the list.
func (e *elements) item(index int) (item any, err error) {
	items := e.items
	if items == nil {
		if items, err = e.store.items(e.List.At); err != nil {
			return nil, fmt.Errorf("step %q: %w", e.unit.Path(), err)
		}
	}
	if index >= len(items) {
		return nil, fmt.Errorf("step %q: there is no element %d: the list has %d", e.unit.Path(), index, len(items))
	}
	return items[index], nil
}

// sum returns the result of an element that has ended; if it succeeded and has no steps inside,
// only that.
func (e *elements) sum(index int) (*StepResult, error) {
	if _, inner, good := e.RecordsOf(index); good && inner == nil && e.inMemory[index] == nil {
		return &succeeded, nil
	}
	r, err := e.resultOf(index)
	if err != nil {
		return nil, err
	}
	return &r.StepResult, nil
}

var succeeded = StepResult{Result: steps.Result{Status: steps.Succeeded}}

// outputs returns the outputs of the elements. given reports whether any of them has one.
func (e *elements) outputs() (outputs []any, given bool, err error) {
	outputs = make([]any, e.count())
	err = e.each(func(i int, _ *ElementResult, seen *steps.Result) {
		outputs[i] = seen.Output
		given = given || seen.Output != nil
	})
	return outputs, given, err
}

// maxTexts bounds, in bytes, the long texts of one foreach that are read back.
const maxTexts = 256 << 20

// each reads the elements one by one, with their whole texts.
func (e *elements) each(yield func(i int, element *ElementResult, seen *steps.Result)) error {
	texts := int64(0)
	for i := range e.count() {
		element, err := e.element(i)
		if err != nil {
			return err
		}
		if element.whole != nil {
			if texts += element.whole.size; texts > maxTexts {
				return fmt.Errorf("the texts of its elements exceed %d MiB", maxTexts>>20)
			}
		}
		seen, err := element.seen()
		if err != nil {
			return err
		}
		yield(i, element, &seen)
	}
	return nil
}

// fullRecord returns all of the step as expressions see it.
func (r *StepResult) fullRecord() (map[string]any, error) {
	if r.elements == nil {
		seen, err := r.seen()
		return listless(&seen), err
	}
	results, outputs := make([]any, r.elements.count()), make([]any, r.elements.count())
	err := r.elements.each(func(i int, element *ElementResult, seen *steps.Result) {
		each := recordOf(seen)
		each["index"], each["item"] = element.Index, element.Item
		results[i], outputs[i] = each, seen.Output
	})
	record := recordOf(&r.Result)
	record["results"], record["output"] = results, outputs
	return record, err
}

// sumUp completes the result of a foreach from those of its elements.
func (r *StepResult) sumUp(step *workflows.Step) error {
	e := r.elements
	sum := elementSum{interrupted: e.interrupted}
	for i := range e.count() {
		index := e.index(i)
		if !e.hasEnded(index) {
			sum.never(index, e.never)
			continue
		}
		element, err := e.sum(index)
		if err != nil {
			return err
		}
		sum.add(index, element)
	}
	sum.counts.Total, sum.counts.LeftOut = e.count(), len(e.LeftOut)
	sum.conclude(r, step)
	return nil
}

// setBlamed finds out which element's error is that of a foreach that was read back.
func (r *StepResult) setBlamed(step *workflows.Step) error {
	if r.elements == nil || r.Error == nil {
		return nil
	}
	r.elements.interrupted = r.Status == steps.Cancelled
	sum := StepResult{elements: r.elements}
	err := sum.sumUp(step)
	r.blames = sum.blames
	return err
}
