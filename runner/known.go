package runner

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// Known holds the steps that have ended, by id, as the expressions of one list
// of steps see them, and those of the lists around it. It is safe for
// concurrent use.
type known struct {
	around *known // nil at the top of a workflow

	mu    sync.Mutex
	steps map[string]*knownStep
}

// A knownStep is a step that has ended. What a foreach came to, and a long text,
// are read back when an expression asks for them, and kept for as long as steps
// run that have asked.
type knownStep struct {
	result *StepResult
	light  map[string]any // all of it, but for what its elements came to, and all of a long text

	mu      sync.Mutex
	readers int // steps that run and have asked
	full    map[string]any
}

// lightFields are those that are known without reading anything back.
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
	k.steps[r.id] = &knownStep{result: r, light: r.record()}
}

// find finds a step by its id, from the inside out; nil where it has not ended.
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

// read is the step as the expressions of a running step see it.
func (s *knownStep) read(field string, by *reading) (map[string]any, error) {
	if s.result.elements == nil && s.result.whole == nil || slices.Contains(lightFields, field) {
		return s.light, nil
	}
	by.hold(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full == nil {
		full, err := s.result.fullRecord()
		if err != nil {
			return nil, fmt.Errorf("step %q: %w", s.result.path, err)
		}
		s.full = full
	}
	if s.result.elements == nil || field != "text" && field != "" {
		return s.full, nil
	}
	text, _, err := s.result.said()
	record := maps.Clone(s.full)
	record["text"] = text
	return record, err
}

// release lets go of what was read back when nobody uses it any more.
func (s *knownStep) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readers--; s.readers == 0 {
		s.full = nil
	}
}

// A reading is a step while it runs, as one that keeps what it has asked of
// steps before it, and of those before the steps around it. Nil is none. It is
// safe for concurrent use.
type reading struct {
	around *reading

	mu   sync.Mutex
	held []*knownStep
}

func (r *reading) hold(s *knownStep) {
	for ; r != nil; r = r.around {
		r.mu.Lock()
		if !slices.Contains(r.held, s) {
			r.held = append(r.held, s)
			s.mu.Lock()
			s.readers++
			s.mu.Unlock()
		}
		r.mu.Unlock()
	}
}

// end lets go of all. The step has ended.
func (r *reading) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.held {
		s.release()
	}
	r.held = nil
}

// steps is how the expressions of a scope see the steps that have ended.
func (s *scope) steps() workflows.StepReader {
	return func(id, field string) (any, error) {
		step := s.known.find(id)
		if step == nil {
			return nil, nil
		}
		return step.read(field, s.reading)
	}
}
