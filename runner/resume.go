package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/runner/unit"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Resumption says that a run is gone on with, in its folder. What had ended is
// kept, but for what did not succeed of a run that had come to its end; what was in
// flight goes on.
type Resumption struct {
	From []unit.Unit // what is taken up anew, with all that depends on it
}

// A Beginning is how a run began, as its journal has it.
type Beginning struct {
	RunID     string
	File      string            // of the workflow, as it was given
	Files     map[string]string // that it was made of, with the SHA-256 of each
	Inputs    map[string]any
	Workspace string
	Options   Recorded
	Status    record.Status // how the run has ended; "" where it has not
}

// ReadBeginning reads the journal of a run for how it began.
func ReadBeginning(dir string) (*Beginning, error) {
	reader, err := journal.OpenReader(dir)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	b := &Beginning{}
	for r, err := range reader.Records() {
		if err == nil && r.Kind == record.Run {
			err = b.take(reader, r)
		}
		if err != nil {
			return nil, err
		}
		if b.Status = ""; r.Kind == record.End {
			b.Status = r.Status
		}
	}
	if b.RunID == "" {
		return nil, errors.New("the journal is empty: the run had not begun")
	}
	return b, nil
}

func (b *Beginning) take(reader *journal.Reader, r record.Record) error {
	data, err := reader.Data(r)
	if err != nil {
		return err
	}
	var s record.Start
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("record 1: %w", err)
	}
	b.RunID, b.File, b.Files, b.Workspace = s.RunID, s.Workflow.File, s.Files, s.Workspace
	if err := json.Unmarshal(s.Options, &b.Options); err != nil {
		return fmt.Errorf("record 1: %w", err)
	}
	return decode(s.Inputs, &b.Inputs)
}

// goOn takes up the journal of a run that is gone on with.
func (r *run) goOn() (err error) {
	if r.journal, err = journal.Open(r.Dir, journal.Options{Mask: r.maskJSON()}); err != nil {
		return err
	}
	if r.history, err = readHistory(r.journal.Reader); err != nil {
		return err
	}
	for _, u := range r.Resume.From {
		if !r.history.knows(u) {
			return &steps.Error{Kind: steps.KindInvalidInput, Message: fmt.Sprintf("the run has no unit %s", u), Hint: "flow show --output json lists its units"}
		}
	}
	r.history.resume(r.Resume.From)
	r.began = r.history.began
	options, err := json.Marshal(r.recorded())
	if err != nil {
		return err
	}
	data, err := json.Marshal(record.Resumption{Options: options})
	if err != nil {
		return err
	}
	return r.journal.Append(&record.Record{Kind: record.Resumed, Parallel: r.MaxParallel, From: r.Resume.From, Data: record.Inline(data)})
}

// knows reports whether a unit, or something in it, has begun.
func (h *history) knows(u unit.Unit) bool {
	for name := range h.units {
		if u.Contains(name) {
			return true
		}
	}
	return false
}

// openAgain opens the folder of a run that is gone on with.
func (f *folder) openAgain() error {
	return ignoreMissing(f.root.Remove("run.json"))
}

// eventsAgain opens the file of events at its end, and returns the number of the last.
func (f *folder) eventsAgain() (file *os.File, last int64, err error) {
	for e, err := range ReadEvents(f.dir) {
		if err == nil {
			last = e.Seq
		}
	}
	if file, err = f.root.OpenFile("events.jsonl", os.O_RDWR|os.O_CREATE|os.O_APPEND, privateFile); err != nil {
		return nil, 0, err
	}
	return file, last, endLine(file)
}

// endLine ends a line that was torn.
func endLine(file *os.File) error {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	end := make([]byte, 1)
	if _, err = file.ReadAt(end, info.Size()-1); err == nil && end[0] != '\n' {
		_, err = file.WriteString("\n")
	}
	return err
}

// before is what the step, or the element, came to before, where that is kept; nil
// where it is to run.
func (t *site) before() *StepResult {
	past := t.run.history.of(t.unit)
	if past.ended == nil || past.ended.Status == record.Skipped || past.anew && !t.frozen {
		return nil
	}
	read, err := t.run.history.result(past.ended)
	if err == nil {
		read.whole, err = t.run.wholeBy(past.ended)
	}
	if err != nil {
		t.run.lost(fmt.Sprintf("result of step %q", t.path), err)
		return nil
	}
	r := t.result()
	if !t.frozen && t.run.Mask != nil && hidden(read) {
		t.tell(Event{}, steps.Event{Type: steps.Warning, Message: "its result is kept, with *** where it may have had a secret"})
	}
	read.id, read.path, read.label = r.id, r.path, r.label
	read.forgive, read.fatal, read.kept = past.ended.Forgiven, past.ended.Fatal, true
	r = read
	switch {
	case t.step.Foreach != nil && t.shelf == nil:
		err = t.keepElements(r, past)
	case t.step.Group != nil:
		r.inner = t.keepInner(t.step.Group.Steps, r)
	case t.step.Use != nil:
		r.inner = t.keepInner(t.step.Use.Workflow.Steps, r)
	}
	if err != nil {
		t.run.lost(fmt.Sprintf("result of step %q", t.path), err)
		return nil
	}
	return r
}

// hidden reports whether a result has what stands in the place of secrets.
func hidden(r *StepResult) bool {
	output, _ := r.Output.(string)
	return strings.Contains(r.Text, "***") || strings.Contains(output, "***") || strings.Contains(r.Stdout, "***")
}

// wholeBy is what later steps see of the long text of a result that is kept.
func (r *run) wholeBy(ended *record.Record) (*wholeText, error) {
	data, err := r.history.from.Data(*ended)
	if err != nil {
		return nil, err
	}
	return r.wholeOf(data)
}

// items are the elements that a foreach was found to have before.
func (t *site) items(past pastUnit) ([]fanned, error) {
	data, err := t.run.history.from.Data(*past.elements)
	if err != nil {
		return nil, err
	}
	var items []any
	if err := decode(data, &items); err != nil {
		return nil, fmt.Errorf("record %d: %w", past.elements.Seq, err)
	}
	tools.ExactNumbers(items)
	kept := make([]fanned, 0, len(items))
	for i, item := range items {
		if _, left := slices.BinarySearch(past.elements.LeftOut, i); !left {
			kept = append(kept, fanned{i, item})
		}
	}
	return kept, nil
}

// keepElements gives the result of a foreach its elements.
func (t *site) keepElements(r *StepResult, past pastUnit) error {
	if past.elements == nil {
		return nil
	}
	items, err := t.items(past)
	if err != nil {
		return err
	}
	shelf := newFolderShelf(t, items)
	r.elements = &elements{shelf: shelf, count: len(items)}
	var sum elementSum
	for i := range items {
		site := t.element(context.Background(), i, shelf)
		site.scope = freeze(site.scope)
		if element := site.before(); element != nil {
			shelf.keep(i, element)
			sum.end(i, items[i].index, element)
		}
	}
	shelf.never = ended(errTooMany)
	sum.rest(items, shelf.never)
	var again StepResult
	sum.conclude(&again, t.step)
	r.speaks = again.speaks
	return nil
}

func freeze(s *scope) *scope {
	child := *s
	child.frozen = true
	return &child
}

// keepInner gives the result of a group, or a used workflow, those of its steps.
func (t *site) keepInner(list []*workflows.Step, r *StepResult) []*StepResult {
	past := t.run.history.of(t.unit)
	inside := freeze(t.attempt(max(past.most, 1)).inside())
	if t.step.Group != nil && t.step.Group.Until != nil {
		inside = inside.again(max(r.Rounds, 1))
	}
	return inside.listKept(list)
}

// listKept are the results of steps that are not to run, whatever they came to.
func (s *scope) listKept(list []*workflows.Step) []*StepResult {
	results := make([]*StepResult, len(list))
	for i, step := range list {
		site := s.site(step)
		if results[i] = site.before(); results[i] == nil {
			results[i] = site.leaf(steps.Result{Status: steps.Skipped})
		}
		s.known.add(results[i])
	}
	return results
}

// unitOf is the address of a step of the scope.
func (s *scope) unitOf(step *workflows.Step) unit.Unit {
	return s.around.Child(step.Name).WithRound(s.round)
}

// refresh takes up a step anew where what it depends on is not as it was.
func (s *scope) refresh(list []*workflows.Step, i int, results []*StepResult) {
	if s.run.history == nil {
		return
	}
	depends := list[i].Depends
	if looksAtStatus(list[i]) {
		depends = append(depends[:len(depends):len(depends)], list[i].Needs...)
	}
	fresh := false
	var after []unit.Unit
	for _, j := range depends {
		fresh = fresh || !results[j].kept && results[j].Status != steps.Skipped
		after = append(after, s.unitOf(list[j]))
	}
	s.run.history.anewIfStale(s.unitOf(list[i]), fresh, after)
}

// keep takes an element that is kept from an earlier process.
func (s *folderShelf) keep(i int, r *StepResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[i] = &ElementResult{Index: s.items[i].index, Item: s.items[i].item, Label: r.label, StepResult: *r}
}
