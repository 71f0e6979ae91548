package runner

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"weak"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// Known has the steps that have ended, by id, as the expressions of one list of steps see
// them, and those of the lists around it. It is safe for concurrent use.
type known struct {
	around *known // nil at the top of a workflow

	mu    sync.Mutex
	steps map[string]*knownStep
}

// A knownStep is a step that has ended. The results of a foreach, and a long text, are read
// back when an expression needs them, and stay in memory while a step runs that needed them.
type knownStep struct {
	result *StepResult
	light  map[string]any // all of it, except the results of elements and the whole of a long text

	mu   sync.Mutex
	full weak.Pointer[fullRecord]
}

// A fullRecord is all of a step as expressions see it, except the text of a foreach.
type fullRecord map[string]any

// lightFields has the fields that are known without reading anything back.
var lightFields = []string{"status", "turns", "usage", "stop_reason", "error", "exit_code"}

// add makes a step known, if it has an id that others can use.
func (k *known) add(r *StepResult) {
	if r.id == "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.steps == nil {
		k.steps = map[string]*knownStep{}
	}
	k.steps[r.id] = &knownStep{result: r, light: listless(&r.Result)}
}

// find returns the step with that id, from the inside out; nil if it has not ended.
func (k *known) find(id string) *knownStep {
	for ; k != nil; k = k.around {
		k.mu.Lock()
		step := k.steps[id]
		k.mu.Unlock()
		if step != nil {
			return step
		}
	}
	return nil
}

// read returns the step as the expressions of a running step see it.
func (s *knownStep) read(field string, by *reading) (map[string]any, error) {
	if s.result.unknown {
		return nil, &unknownStep{s.result.path}
	}
	if s.result.elements == nil && s.result.whole == nil || slices.Contains(lightFields, field) {
		return s.light, nil
	}
	full, err := s.all()
	if err != nil {
		return nil, fmt.Errorf("step %q: %w", s.result.path, err)
	}
	by.pin(full)
	if s.result.elements == nil || field != "text" && field != "" {
		return *full, nil
	}
	text, _, err := s.result.said()
	record := maps.Clone(*full)
	record["text"] = text
	return record, err
}

// all reads back all of the step, unless a running step that needed it still has it.
func (s *knownStep) all() (*fullRecord, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if full := s.full.Value(); full != nil {
		return full, nil
	}
	full, err := s.result.fullRecord()
	if err == nil {
		s.full = weak.Make(&full)
	}
	return &full, err
}

// A reading has the earlier steps that a running step has read, and that stay in memory
// until it ends. Nil keeps none. It is safe for concurrent use.
type reading struct {
	around *reading

	mu     sync.Mutex
	pinned []*fullRecord
}

func (r *reading) pin(full *fullRecord) {
	for ; r != nil; r = r.around {
		r.mu.Lock()
		if !slices.Contains(r.pinned, full) {
			r.pinned = append(r.pinned, full)
		}
		r.mu.Unlock()
	}
}

// end lets go of everything, since the step has ended.
func (r *reading) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pinned = nil
}

// steps returns how the expressions of a scope read the steps that have ended.
func (s *scope) steps() workflows.StepReader {
	return func(id, field string) (any, error) {
		step := s.known.find(id)
		if step == nil {
			return nil, nil
		}
		return step.read(field, s.reading)
	}
}
