package runner

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A node is what the engine knows about a unit beside what the plan knows: its result, and
// the scope of the steps inside it. It is a fold over the same records. Of a unit that has
// succeeded only the offsets of its records are left.
type node struct {
	parent *node           // nil: the run
	step   *workflows.Step // nil: the run
	unit   journal.Unit    // without its attempt
	index  int             // its index in its list, or among the elements

	attempt int
	began   time.Time     // zero: it did not
	after   time.Duration // how long processes had worked in the run by then
	before  int64         // the offset of the record with what earlier attempts used; 0: there is none
	retried bool          // that record says that this attempt follows
	left    []int64       // the offsets of records of work that was left midway and begun anew: no result has what it used

	work       int64   // the offset of the record with the attempt's work; 0: there is none
	facts      []int64 // the offsets of the records of its conversation
	anew       bool    // something in it has begun since the files changed
	anewBefore bool    // the same for its earlier attempts and rounds

	owed          bool          // of an element: it runs again, and there was no room for it yet
	inFlight      bool          // a request may have been in flight when the last process ended
	worked        time.Duration // on the attempt, by all processes but the last
	since, latest time.Time     // when the last process began to work on it, and its last record

	question *journal.Question // the question that the attempt is about to ask
	reply    *journal.Reply    // the answer, if it came in this process
	replied  int64             // the offset of the record with the last answer; 0: there is none
	answered bool              // the attempt has not continued since the answer

	round    int
	verdict  *bool // after the last round
	rounds   []keptResult
	inner    []*node // the steps inside, in their order
	inside   *scope  // their scope; nil until one of them is due
	settled  *site   // the attempt's own site; nil until it is needed
	used     *instance
	budget   *account // of the run, or of the workflow that the attempt uses
	elements *fan     // of a foreach that has begun

	site     *site // nil until something in it is due
	told     bool  // its start is emitted
	cause    error // why it has to end
	timer    *time.Timer
	deadline time.Time // when the timer ends it
	over     keptResult
	reason   steps.Kind  // the kind of its error
	result   *StepResult // its result; nil if it has not ended, or if the result has to be read back
	exact    bool        // the journal has the result exactly
}

// isTolerated reports whether the failure of a step around the unit counts as success, whatever else
// fails in it.
func (n *node) isTolerated() bool {
	for at := n.parent; at != nil && at.step != nil; at = at.parent {
		if at.step.OnError == workflows.OnErrorContinue && at.step.MaxFailures == nil {
			return true
		}
	}
	return false
}

// A fan is the elements of a foreach.
type fan struct {
	count   int   // with those that are left out
	leftOut []int // sorted indexes
	record  int64 // the offset of the record with the list
	items   []any // the list; nil until it is needed
	active  map[int]*node
	over    []keptResult  // by index
	never   *steps.Result // the result of each element that did not begin
	speaks  int           // the element whose error is the step's error
	failed  bool          // one failed, so that no other one begins

	interrupted bool // when the step ended, it or one around it had been

	reasons map[int]steps.Kind // the kinds of the errors of elements, by index
}

// A keptResult says where the result of a unit is, and those of everything inside it. The
// zero value is for a unit that has not ended.
type keptResult struct {
	at   int64     // the offset of its record
	more *keptMore // nil: nothing is inside it, and the journal has the result exactly
}

type keptMore struct {
	inMemory *StepResult  // the result, if the journal does not have it exactly
	inner    []keptResult // of the steps inside, in their order
	fan      *fan
}

// is reports whether the unit has ended.
func (k keptResult) is() bool { return k.at != 0 || k.more != nil }

// within iterates over the nodes directly inside a unit, in order: steps, or elements that
// have begun.
func (n *node) within() iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for _, inner := range n.inner {
			if inner != nil && !yield(inner) {
				return
			}
		}
		if n.elements == nil {
			return
		}
		for _, i := range slices.Sorted(maps.Keys(n.elements.active)) {
			if !yield(n.elements.active[i]) {
				return
			}
		}
	}
}

// list returns the steps directly inside a unit.
func (e *engine) list(n *node) []*workflows.Step {
	switch {
	case n.step == nil:
		return e.top.Steps
	case n.isFan():
		return nil
	}
	return n.step.Inside()
}

// isFan reports whether the unit is a foreach.
func (n *node) isFan() bool { return n.step != nil && n.step.Foreach != nil && !n.isElement() }

// isElement reports whether the unit is an element of a foreach.
func (n *node) isElement() bool { return n.parent != nil && n.parent.step == n.step }

// labelAround returns the label of the element that the unit is, or is inside of; "" if there is
// none. The engine's mu is held.
func (n *node) labelAround() string {
	for ; n != nil; n = n.parent {
		if n.site != nil && n.site.label != "" {
			return n.site.label
		}
	}
	return ""
}

// works reports whether the unit does something itself.
func (n *node) works() bool { return n.step.Works() && !n.isFan() }

// node returns the node of a unit that the plan knows, and makes it if there is none.
func (e *engine) node(u journal.Unit) *node {
	n := e.root
	for part := range u.Parts() {
		if part.Round > n.round {
			n.nextRound(part.Round)
		}
		if n = e.step(n, part.Name); part.Element >= 0 {
			n = n.element(part.Element)
		}
	}
	return n
}

// step returns the node of a step inside a unit.
func (e *engine) step(n *node, name string) *node {
	list := e.list(n)
	if n.inner == nil {
		n.inner = make([]*node, len(list))
	}
	i := slices.IndexFunc(list, func(s *workflows.Step) bool { return s.Name == name })
	if n.inner[i] == nil {
		around := n.unit
		if n.attempt > 1 { // addresses name the attempts around a unit from the second on
			around = around.WithAttempt(n.attempt)
		}
		n.inner[i] = &node{parent: n, step: list[i], unit: around.Child(name).WithRound(n.round), index: i}
	}
	return n.inner[i]
}

// element returns the node of an element of a foreach that has begun.
func (n *node) element(i int) *node {
	e := n.elements.active[i]
	if e == nil {
		e = &node{parent: n, step: n.step, unit: n.unit.WithElement(i), index: i, over: n.elements.over[i]}
		n.elements.active[i] = e
	}
	return e
}

// nextRound begins a round of a group.
func (n *node) nextRound(round int) {
	for inner := range n.within() {
		n.rounds = append(n.rounds, inner.over)
	}
	n.round, n.verdict, n.anewBefore = round, nil, n.anew
	n.empty()
}

// empty forgets what is inside a unit.
func (n *node) empty() { n.inner, n.inside, n.elements = nil, nil, nil }

// leave appends the offsets of the records that say what a unit used that has not ended,
// without its earlier attempts.
func (n *node) leave(all []int64) []int64 {
	all = append(append(all, n.left...), n.facts...)
	for _, over := range n.rounds {
		all = append(all, over.at)
	}
	if n.elements != nil {
		for _, over := range n.elements.over {
			all = append(all, over.at)
		}
	}
	for inner := range n.within() {
		switch {
		case !inner.over.is():
			all = inner.leave(append(all, inner.before))
		case n.elements == nil:
			all = append(all, inner.over.at)
		}
	}
	return all
}

// startOver forgets the result of an attempt.
func (n *node) startOver() {
	n.empty()
	n.anewBefore = n.anew
	n.round, n.rounds, n.verdict, n.work, n.facts, n.settled, n.used = 0, nil, nil, 0, nil, nil, nil
	n.question, n.reply, n.replied, n.answered = nil, nil, 0, false
	n.worked, n.since, n.latest = 0, time.Time{}, time.Time{}
	n.reason = ""
}
