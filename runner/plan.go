package runner

import "github.com/a-seed-11b9befa/flow/workflows"

// A plan says what of several tasks may start next. It is a pure
// function of what it was made from and of what has happened so far: no clock,
// no I/O, no goroutine. Whoever drives it, here or elsewhere, and however
// often, gets the same answer from the same past.
type plan interface {
	next(past *past) []int
}

// A past is what has happened to the tasks of a plan. It is the fold of the
// events that started and ended them.
type past struct {
	tasks    []task
	first    int // of which all before have started
	started  int
	running  int
	failures int  // tasks that ended badly
	over     bool // for one of them the whole run is to end
}

// A task is one step of a list, one element of a foreach, one round of a group
// or one attempt of a step.
type task struct {
	started bool
	outcome outcome
}

// An outcome is what a task came to, as far as plans ask.
type outcome uint8

// The outcomes. The zero value is that of a task that has not ended.
const (
	_     outcome = iota
	good          // it succeeded, was skipped by its own condition, or its failure is to be ignored
	bad           // it did not
	again         // it asks for another go: an attempt that failed, a round after which the condition does not hold
	over          // it did not, and the whole run is to end
)

// newPast returns the past of n tasks, of which none has started. There may
// turn out to be more.
func newPast(n int) *past { return &past{tasks: make([]task, n)} }

func (p *past) start(i int) {
	if i == len(p.tasks) {
		p.tasks = append(p.tasks, task{})
	}
	p.tasks[i].started = true
	p.started++
	p.running++
}

func (p *past) end(i int, o outcome) {
	p.tasks[i].outcome = o
	p.running--
	p.over = p.over || o == over
	if o == bad || o == over {
		p.failures++
	}
}

func (p *past) ended(i int) bool { return p.tasks[i].outcome != 0 }

// A listPlan starts a step once what it needs has ended, however it ended:
// whether the step then runs or is skipped is for its condition to say.
type listPlan []*workflows.Step

func (l listPlan) next(past *past) []int {
	var due []int
	for i, step := range l {
		if !past.tasks[i].started && allEnded(step.Needs, past) {
			due = append(due, i)
		}
	}
	return due
}

func allEnded(needs []int, past *past) bool {
	for _, i := range needs {
		if !past.ended(i) {
			return false
		}
	}
	return true
}

// stands reports whether none of the steps that step i needs, directly or
// through others, ended badly.
func (l listPlan) stands(i int, past *past) bool {
	seen := make([]bool, len(l))
	queue := l[i].Needs
	for len(queue) > 0 {
		j := queue[0]
		queue = queue[1:]
		if seen[j] {
			continue
		}
		seen[j] = true
		if past.tasks[j].outcome != good {
			return false
		}
		queue = append(queue[:len(queue):len(queue)], l[j].Needs...)
	}
	return true
}

// A fanPlan starts elements in their order, at most so many at a time, and
// none after one ended badly, or after too many did where failures are to be
// collected.
type fanPlan struct {
	parallel int
	goOn     bool
	most     *workflows.MaxFailures
}

func (f fanPlan) next(past *past) []int {
	if past.over || past.failures > 0 && !f.goOn || f.most.Exceeded(past.failures, len(past.tasks)) {
		return nil
	}
	var due []int
	for past.first < len(past.tasks) && past.tasks[past.first].started {
		past.first++
	}
	for i := past.first; i < len(past.tasks) && past.running+len(due) < f.parallel; i++ {
		if !past.tasks[i].started {
			due = append(due, i)
		}
	}
	return due
}

// A repeatPlan does the same work again for as long as it asks for that, so
// many times at most: the rounds of a group, the attempts of a step.
type repeatPlan struct{ most int }

func (r repeatPlan) next(past *past) []int {
	n := past.started
	if past.running > 0 || n >= r.most || n > 0 && !past.wanting() {
		return nil
	}
	return []int{n}
}

// wanting reports whether the task that started last asks for another go.
func (p *past) wanting() bool {
	return p.started > 0 && p.tasks[p.started-1].outcome == again
}
