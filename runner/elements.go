package runner

import (
	"bytes"
	"fmt"
	"path"
	"strconv"
	"sync"

	"github.com/a-seed-11b9befa/flow/steps"
)

// Elements are what a step came to for each element of its foreach, in their
// order.
type elements struct {
	shelf
	count int
}

// A shelf keeps the results of elements where they take no memory.
type shelf interface {
	element(i int) (*ElementResult, error) // as it was, where the shelf has that
	written(i int) ([]byte, error)         // as it is written, in JSON
}

// A folderShelf keeps elements in the run's folder. Those that it could not
// give back as they were stay in memory: one with a secret in it, since what is
// written is masked, and one that could not be written. Each element is put by
// one goroutine, and read when all are there.
type folderShelf struct {
	site  *site
	items []fanned
	on    []bool // the disk, each

	mu    sync.Mutex
	kept  map[int]*ElementResult // in memory
	whole map[int]*wholeText     // of those on disk
	never *steps.Result          // what became of those that did not run
}

// A fanned is an element of a foreach that is to run.
type fanned struct {
	index int // in the list, with those that are left out
	item  any
}

func newFolderShelf(t *site, items []fanned) *folderShelf {
	return &folderShelf{site: t, items: items, on: make([]bool, len(items)), kept: map[int]*ElementResult{}, whole: map[int]*wholeText{}}
}

// badUTF8 is how JSON is written where a text is no UTF-8.
const badUTF8 = `\ufffd`

// put writes the result of an element down.
func (s *folderShelf) put(i int, r *StepResult) error {
	element := &ElementResult{Index: s.items[i].index, Item: s.items[i].item, Label: r.label, StepResult: *r}
	data, err := marshal(element.write)
	if err == nil {
		masked := s.site.run.folder.mask.JSON(data)
		s.on[i] = bytes.Equal(data, masked) && !bytes.Contains(data, []byte(badUTF8))
		err = s.site.run.folder.writeElement(s.folder(i), masked)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.on[i] {
		if r.whole != nil {
			s.whole[i] = r.whole
		}
		return nil
	}
	s.on[i] = false
	s.kept[i] = element
	return err
}

func (s *folderShelf) folder(i int) string {
	return path.Join(s.site.folder, strconv.Itoa(s.items[i].index))
}

func (s *folderShelf) element(i int) (*ElementResult, error) {
	if !s.on[i] {
		return s.held(i), nil
	}
	data, err := s.written(i)
	if err != nil {
		return nil, err
	}
	var element ElementResult
	if err := element.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	element.Item, element.whole = s.items[i].item, s.whole[i]
	return &element, nil
}

// held is an element that is not on disk.
func (s *folderShelf) held(i int) *ElementResult {
	if element := s.kept[i]; element != nil {
		return element
	}
	label := s.site.run.beginning(labelOf(s.items[i].item))
	return &ElementResult{Index: s.items[i].index, Item: s.items[i].item, Label: label, StepResult: StepResult{Kind: s.site.step.Kind, Result: *s.never}}
}

func (s *folderShelf) written(i int) ([]byte, error) {
	if s.on[i] {
		return s.site.run.folder.readElement(s.folder(i))
	}
	data, err := marshal(s.held(i).write)
	return s.site.run.folder.mask.JSON(data), err
}

// outputs are those of the elements. given reports whether any of them has one.
func (e *elements) outputs() (outputs []any, given bool, err error) {
	outputs = make([]any, e.count)
	err = e.each(func(i int, _ *ElementResult, seen *steps.Result) {
		outputs[i] = seen.Output
		given = given || seen.Output != nil
	})
	return outputs, given, err
}

// mostTexts bounds, in bytes, the long texts of one foreach that are read back.
const mostTexts = 256 << 20

// each reads the elements back, with all of their texts.
func (e *elements) each(take func(i int, element *ElementResult, seen *steps.Result)) error {
	texts := int64(0)
	for i := range e.count {
		element, err := e.element(i)
		if err != nil {
			return err
		}
		if element.whole != nil {
			if texts += element.whole.size; texts > mostTexts {
				return fmt.Errorf("the texts of its elements come to more than %d MiB", mostTexts>>20)
			}
		}
		seen, err := element.seen()
		if err != nil {
			return err
		}
		take(i, element, &seen)
	}
	return nil
}

// fullRecord is the step as expressions see it, with all of its elements, but for
// the text of a foreach.
func (r *StepResult) fullRecord() (map[string]any, error) {
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
