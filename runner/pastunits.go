package runner

import (
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/runner/unit"
)

// pastUnits say where in a journal stands what the units inside of one came to last:
// of a run, or of an element. For each element of a foreach that is not much more
// than the places of its records.
type pastUnits struct {
	depth  int                  // how many parts the address has of what is around
	steps  map[string]*pastStep // by path
	rounds map[string]roundOf   // of groups and used workflows, by path: the one that was heard of last
}

// A roundOf is one run through a group: the address of the group, and its round.
type roundOf struct {
	group string
	round int
}

// A pastStep is a step, with all of its elements.
type pastStep struct {
	unit  unit.Unit // without its attempt
	began time.Time
	ended int64 // where it says what the step came to; 0: it has not ended

	list     int64 // where the elements of a foreach are; 0: it has none
	count    int   // with those that are left out
	leftOut  []int
	elements map[int]*pastElement
}

// A pastElement is an element of a foreach.
type pastElement struct {
	ended int64   // as that of a step
	inner []int64 // the records that say what is inside of it came to
}

func newPastUnits(depth int) *pastUnits {
	return &pastUnits{depth: depth, steps: map[string]*pastStep{}, rounds: map[string]roundOf{}}
}

// take takes a record of a unit.
func (p *pastUnits) take(r record.Record) {
	if r.Kind == record.Warned || r.Unit.IsZero() {
		return
	}
	path, text, rest := "", "", r.Unit.String()
	depth := 0
	for part := range r.Unit.Parts() {
		name, after, more := strings.Cut(rest, "/")
		if depth >= p.depth {
			p.renew(path, roundOf{text, part.Round})
		}
		path, text, rest = join(path, part.Name), join(text, name), after
		if depth++; depth <= p.depth {
			continue
		}
		step := p.step(path)
		if part.Element >= 0 {
			step.takeElement(part.Element, r, more)
			return
		}
		if !more {
			step.take(r)
			return
		}
		step.ended = 0
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}

func (p *pastUnits) step(path string) *pastStep {
	step := p.steps[path]
	if step == nil {
		step = &pastStep{}
		p.steps[path] = step
	}
	return step
}

// renew forgets what is known of a group's steps when something is heard of another
// round of it, or of another attempt of something around it: results have the last
// one alone.
func (p *pastUnits) renew(group string, now roundOf) {
	last, known := p.rounds[group]
	p.rounds[group] = now
	if !known || last == now {
		return
	}
	for path := range p.steps {
		if strings.HasPrefix(path, group+"/") || group == "" {
			delete(p.steps, path)
			delete(p.rounds, path)
		}
	}
}

// take takes a record of the step itself.
func (s *pastStep) take(r record.Record) {
	s.unit = r.Unit.WithAttempt(0)
	if s.began.IsZero() || s.ended != 0 {
		s.began = r.Time
	}
	s.ended = 0
	switch {
	case isEnd(r):
		s.ended = r.At
	case r.About == record.Elements:
		s.list, s.count, s.leftOut, s.elements = r.At, r.Count, r.LeftOut, nil
	}
}

// isEnd reports whether a record says what its unit came to.
func isEnd(r record.Record) bool { return r.Kind == record.Ended || r.About == record.Keep }

// takeElement takes a record of an element, or of something inside of it.
func (s *pastStep) takeElement(index int, r record.Record, inside bool) {
	s.ended = 0
	if s.elements == nil {
		s.elements = map[int]*pastElement{}
	}
	e := s.elements[index]
	if e == nil {
		e = &pastElement{}
		s.elements[index] = e
	}
	e.ended = 0
	switch {
	case !inside && isEnd(r):
		e.ended = r.At
	case inside && (isEnd(r) || r.About == record.Elements):
		e.inner = append(e.inner, r.At)
	}
}

// forget takes note that a unit is taken up anew.
func (p *pastUnits) forget(u unit.Unit) {
	for _, step := range p.steps {
		if u.Contains(step.unit) {
			*step = pastStep{unit: step.unit}
			continue
		}
		for index, e := range step.elements {
			if u.Contains(step.unit.WithElement(index)) {
				*e, step.ended = pastElement{}, 0
			}
		}
	}
}
