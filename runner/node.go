package runner

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/runner/unit"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A node is what the engine has of a unit beside what the plan has of it: what it
// came to, and where what is inside of it runs. It is the fold of the same records.
// Of what has succeeded only the places of its records are left.
type node struct {
	parent *node           // nil: the run
	step   *workflows.Step // nil: the run
	unit   unit.Unit       // without its attempt
	place  int             // in its list, or among the elements

	attempt int
	began   time.Time     // zero: it did not
	after   time.Duration // processes had worked for so long in the run by then
	before  int64         // where the record is with what attempts before this one used; 0: there is none
	retried bool          // that one says that this attempt follows

	work       int64 // where the record with the attempt's work is; 0: there is none
	facts      []int64
	anew       bool // something of it has begun since the files were changed
	anewBefore bool // in an attempt or a round before this one

	owed          bool          // of an element that is to be taken up: it has had no place for that yet
	inFlight      bool          // a request may have been, when the last process ended
	worked        time.Duration // by the attempt, in processes before the last one
	since, latest time.Time     // of the last one that has worked on it

	question *QuestionWork // that the attempt is about to ask
	reply    *record.Reply // that came in this process
	replied  int64         // where the last answer is; 0: there is none
	answered bool          // the attempt has not gone on since

	round    int
	verdict  *bool // after the last round
	rounds   []keptResult
	inner    []*node // the steps inside, by their place
	inside   *scope  // of these; nil until one of them is due
	settled  *site   // the attempt, in its own place; nil until it is asked for
	used     *instance
	elements *fan // of a foreach that has begun

	site     *site // nil until something of it is due
	told     bool  // that it has begun
	cause    error // it has to end for
	timer    *time.Timer
	deadline time.Time // when that ends the unit
	over     keptResult
	reason   steps.Kind  // why it ended otherwise than it should
	result   *StepResult // of one that has ended; nil where it is to be read back
	exact    bool        // the journal gives the result back as it is
}

// A fan is the elements of a foreach.
type fan struct {
	count   int   // with those that are left out
	leftOut []int // in their order
	record  int64 // where the list of them is
	items   []any // the list; nil until it is asked for
	active  map[int]*node
	over    []keptResult  // by place
	never   *steps.Result // what became of those that did not begin
	speaks  int           // the one whose error the step has
	failed  bool          // one did, so that no other one is to begin

	reasons map[int]steps.Kind // why those did not succeed that have ended so, by place
}

// A keptResult is where the result of a unit is, and of all that is in it. The zero
// value is the value of a unit that has not ended.
type keptResult struct {
	at   int64
	more *keptMore // nil: nothing is in it, and the journal has it as it was
}

type keptMore struct {
	held  *StepResult  // as it was, where the journal has it otherwise
	inner []keptResult // of the steps inside, by their place
	fan   *fan
}

// is reports whether the unit has ended.
func (k keptResult) is() bool { return k.at != 0 || k.more != nil }

// within are the nodes right inside of a unit, in their order: steps, or elements that
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

// list is the steps that are inside of a unit.
func (n *node) list() []*workflows.Step {
	if n.isFan() {
		return nil
	}
	return n.step.Inside()
}

// isFan reports whether the unit has elements, or will.
func (n *node) isFan() bool { return n.step != nil && n.step.Foreach != nil && !n.isElement() }

// isElement reports whether the unit is an element of a foreach.
func (n *node) isElement() bool { return n.parent != nil && n.parent.step == n.step }

// works reports whether it does something itself.
func (n *node) works() bool { return n.step.Works() && !n.isFan() }

// node is the node of a unit that the plan knows, which is made where there is none.
func (e *engine) node(u unit.Unit) *node {
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

// step is the node of a step inside of another one.
func (e *engine) step(n *node, name string) *node {
	list := e.workflow.Steps
	if n.step != nil {
		list = n.list()
	}
	if n.inner == nil {
		n.inner = make([]*node, len(list))
	}
	i := slices.IndexFunc(list, func(s *workflows.Step) bool { return s.Name == name })
	if n.inner[i] == nil {
		around := n.unit
		if n.attempt > 1 { // what is in a unit names attempts around it from the second on
			around = around.WithAttempt(n.attempt)
		}
		n.inner[i] = &node{parent: n, step: list[i], unit: around.Child(name).WithRound(n.round), place: i}
	}
	return n.inner[i]
}

// element is the node of an element of a foreach that has begun.
func (n *node) element(i int) *node {
	e := n.elements.active[i]
	if e == nil {
		e = &node{parent: n, step: n.step, unit: n.unit.WithElement(i), place: i}
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

// empty lets go of what is inside of a unit.
func (n *node) empty() { n.inner, n.inside, n.elements = nil, nil, nil }

// startOver lets go of what an attempt came to.
func (n *node) startOver() {
	n.empty()
	n.anewBefore = n.anew
	n.round, n.rounds, n.verdict, n.work, n.facts, n.settled, n.used = 0, nil, nil, 0, nil, nil, nil
	n.question, n.reply, n.replied, n.answered = nil, nil, 0, false
	n.worked, n.since, n.latest = 0, time.Time{}, time.Time{}
	n.reason = ""
}
