package runner

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"sort"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Elements are the results of a foreach's elements, in order.
type elements struct {
	shelf
	count int
	mask  *tools.Mask // hides secrets when they are written; nil hides nothing
}

// A shelf returns the results of elements, most of which it does not keep in memory.
type shelf interface {
	element(i int) (*ElementResult, error)
}

// A journalShelf reads elements from their offsets in the journal. It holds in memory those
// that the journal does not have exactly.
type journalShelf struct {
	run  *run
	step *workflows.Step
	fan  *fan
}

// elements returns the elements of a foreach, without those that its when left out.
func (r *run) elements(step *workflows.Step, f *fan) *elements {
	return &elements{shelf: &journalShelf{r, step, f}, count: f.count - len(f.leftOut), mask: r.Mask}
}

// index returns the index in the list of the i-th element that is not left out.
func (f *fan) index(i int) int { return indexOf(i, f.leftOut) }

func indexOf(i int, leftOut []int) int {
	return i + sort.Search(len(leftOut), func(n int) bool { return leftOut[n]-n > i })
}

func (s *journalShelf) element(i int) (*ElementResult, error) {
	at := s.fan.index(i)
	items, err := s.run.items(s.fan)
	if err != nil {
		return nil, err
	}
	over := s.fan.over[at]
	if !over.is() {
		label := s.run.beginning(labelOf(items[at]))
		return &ElementResult{Index: at, Item: items[at], Label: label, StepResult: StepResult{Kind: s.step.Kind, Result: *s.fan.never}}, nil
	}
	r, err := s.run.restore(over, s.step, true)
	if err != nil {
		return nil, err
	}
	return &ElementResult{Index: at, Item: items[at], Label: r.label, StepResult: *r}, nil
}

// written returns the JSON of an element from its record in the journal, with its index and
// item added. It returns nil if the result is not written like that in run.json: it has
// steps inside, a text in a file of its own, or characters that have several spellings.
func (s *journalShelf) written(i int) ([]byte, error) {
	at := s.fan.index(i)
	over := s.fan.over[at]
	if over.at == 0 || over.more != nil || s.step.Inside() != nil {
		return nil, nil
	}
	items, err := s.run.items(s.fan)
	if err != nil {
		return nil, err
	}
	data, err := s.run.dataAt(over.at)
	if err != nil || bytes.Contains(data, []byte(`\u`)) || bytes.Contains(data, []byte(`,"whole`)) || journal.Hidden(data) {
		return nil, err
	}
	item, err := jsonline.Encode(items[at])
	return fmt.Appendf(nil, `{"index":%d,"item":%s,%s`, at, item, data[1:]), err
}

// sum returns the result of an element; if it succeeded and has no steps inside, without what
// only its record says.
func (s *journalShelf) sum(over keptResult) (*StepResult, error) {
	if over.more == nil {
		data, err := s.run.dataAt(over.at)
		r := &StepResult{}
		if err == nil && r.UnmarshalJSON(data) == nil && r.Status == steps.Succeeded {
			r.lacks = journal.Hidden(data)
			return r, nil
		}
	}
	return s.run.restore(over, s.step, true)
}

// items returns the list of a foreach.
func (r *run) items(f *fan) ([]any, error) {
	r.lists.Lock()
	defer r.lists.Unlock()
	if f.items != nil || f.count == 0 {
		return f.items, nil
	}
	data, err := r.dataAt(f.record)
	if err != nil {
		return nil, err
	}
	f.items, err = itemsIn(journal.Unnamed(data), f.count)
	return f.items, err
}

// itemsIn decodes a list with that many items.
func itemsIn(data []byte, count int) (items []any, err error) {
	var list journal.List
	if err := jsonline.Decode(data, &list); err != nil || len(list.Items) != count {
		return nil, errors.Join(fmt.Errorf("%d of %d elements are in the journal", len(list.Items), count), err)
	}
	return list.Items, nil
}

// recordAt reads a record and its data, also after the journal is closed.
func (r *run) recordAt(at int64) (of journal.Record, data []byte, err error) {
	err = r.readBack(func(from *journal.Reader) (err error) {
		of, data, err = from.DataAt(at)
		return err
	})
	return of, data, err
}

// dataAt reads the data of a record alone, also after the journal is closed.
func (r *run) dataAt(at int64) (data []byte, err error) {
	err = r.readBack(func(from *journal.Reader) (err error) {
		data, err = from.OnlyDataAt(at)
		return err
	})
	return data, err
}

func (r *run) readBack(read func(from *journal.Reader) error) error {
	err := read(r.journal.Reader)
	if !errors.Is(err, os.ErrClosed) {
		return err
	}
	from, err := journal.OpenReader(r.Dir)
	if err != nil {
		return err
	}
	defer from.Close()
	return read(from)
}

// restore reads back the result of a step or an element, with everything inside it.
func (r *run) restore(over keptResult, step *workflows.Step, element bool) (*StepResult, error) {
	more := over.more
	if more != nil && more.inMemory != nil {
		return more.inMemory, nil
	}
	of, data, err := r.recordAt(over.at)
	if err != nil {
		return nil, err
	}
	result := &StepResult{}
	if err := result.restore(journal.Unnamed(data), r.folder); err != nil {
		return nil, fmt.Errorf("record %d: %w", of.Seq, err)
	}
	result.lacks = journal.Hidden(data)
	result.id, result.path, result.Unit, result.Kind = step.ID, of.Unit.Path(), of.Unit.WithAttempt(0), step.Kind
	result.forgive, result.fatal = of.Forgiven, of.Fatal
	if more == nil {
		return result, nil
	}
	if more.fan != nil && !element {
		return result, r.restoreElements(result, step, more.fan, data)
	}
	result.inner, err = r.restoreAll(more.inner, step.Inside())
	return result, err
}

// restoreElements adds the elements to the result of a foreach.
func (r *run) restoreElements(result *StepResult, step *workflows.Step, f *fan, data []byte) (err error) {
	result.elements = r.elements(step, f)
	if f.never == nil {
		var j journaledResult
		if err := jsonline.Decode(data, &j); err != nil {
			return err
		}
		var never StepResult
		if j.Never != nil {
			never.setLine(*j.Never)
		}
		f.never, f.interrupted = &never.Result, result.Status == steps.Cancelled
		sum := &StepResult{elements: result.elements}
		err = sum.sumUp(step)
		result.lacks = result.lacks || sum.lacks
	}
	result.speaks = f.speaks
	return err
}

// restoreAll reads back the results of steps.
func (r *run) restoreAll(over []keptResult, list []*workflows.Step) (all []*StepResult, err error) {
	for i, step := range list {
		if i >= len(over) || !over[i].is() {
			continue
		}
		inner, err := r.restore(over[i], step, false)
		if err != nil {
			return nil, err
		}
		all = append(all, inner)
	}
	return all, nil
}

// outputs returns the outputs of the elements. given reports whether any of them has one.
func (e *elements) outputs() (outputs []any, given bool, err error) {
	outputs = make([]any, e.count)
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
	for i := range e.count {
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
func (r *StepResult) fullRecord() (fullRecord, error) {
	if r.elements == nil {
		seen, err := r.seen()
		return listless(&seen), err
	}
	results, outputs := make([]any, r.elements.count), make([]any, r.elements.count)
	err := r.elements.each(func(i int, element *ElementResult, seen *steps.Result) {
		each := recordOf(seen)
		each["index"], each["item"] = element.Index, element.Item
		results[i], outputs[i] = each, seen.Output
	})
	record := recordOf(&r.Result)
	record["results"], record["output"] = results, outputs
	return record, err
}
