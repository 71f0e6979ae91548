package plan

import (
	"container/list"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An Action is what the driver has to do for a task.
type Action string

// The actions, each with the records that end its task.
const (
	Decide   Action = "decide"   // evaluate the expression that About names: Decided, or Ended if that fails; for a group's Until also Again
	Begin    Action = "begin"    // render and begin an attempt: Began, or Again or Ended if that fails
	GoOn     Action = "go on"    // continue an attempt that was in flight or waited for a person: Began
	Rest     Action = "rest"     // wait until UntilMilli: Decided about Rested
	Cancel   Action = "cancel"   // cancel a unit that is working: Ended, with whatever result it had
	Close    Action = "close"    // end a unit that does not begin, or not again, with Status: Ended
	Conclude Action = "conclude" // make the result of a foreach, a group, a used workflow or the run: Ended, Again, or End
)

// A Task is one thing that is due.
type Task struct {
	Do   Action
	Unit journal.Unit // with its attempt if the records that end the task name one; the zero Unit is the run
	Step *workflows.Step

	About      journal.About  // Decide
	Round      int            // Decide about Until: the round that has ended
	Stands     bool           // Decide about If: none of the steps that it needs, directly or indirectly, failed
	Status     journal.Status // Close
	Stopped    Stop           // Cancel, Close, Conclude: why the unit has to end; 0 if it does not have to
	UntilMilli int64          // Rest: Unix time in milliseconds
	MostMilli  int64          // Rest: how long the whole wait is, in milliseconds; a clock that was set back does not prolong it
}

// An agenda holds the jobs that have a task, in the order in which the tasks became due.
type agenda struct{ list.List }

// tasks has the action of each state; a state without one has no task.
var tasks = [...]Action{
	deciding: Decide, counting: Decide, judging: Decide, ready: Begin, resting: Rest, closing: Close, finishing: Conclude,
}

// set moves a job to a state.
func (p *Plan) set(j *job, s state) {
	p.count(j.state, -1)
	p.count(s, 1)
	j.state = s
	if j.due != nil {
		p.agenda.Remove(j.due)
		j.due = nil
	}
	if s < state(len(tasks)) && tasks[s] != "" {
		j.due = p.agenda.PushBack(j)
	}
}

func (p *Plan) count(s state, more int) {
	switch s {
	case working:
		p.working += more
	case asking:
		p.asking += more
	}
}

// cancel adds the task of cancelling a job that is working.
func (p *Plan) cancel(j *job) {
	if j.due == nil {
		j.due = p.agenda.PushBack(j)
	}
}

// Due returns the tasks that are due, in the order in which they became so. Together,
// the units that are working and those that are due to begin or to continue are never
// more than may work at the same time.
func (p *Plan) Due() []Task {
	if p.over {
		return nil
	}
	due := make([]Task, 0, p.agenda.Len())
	for e := p.agenda.Front(); e != nil; e = e.Next() {
		due = append(due, e.Value.(*job).task())
	}
	return due
}

// Stands reports whether a task that was due is still due.
func (p *Plan) Stands(t Task) bool {
	if p.root == nil || p.over {
		return false
	}
	if t.Unit.IsZero() {
		return p.root.due != nil && p.root.task() == t
	}
	j, _, err := p.find(t.Unit)
	return err == nil && j.due != nil && j.task() == t
}

// task is the job's task.
func (j *job) task() Task {
	t := Task{Do: Cancel, Unit: j.unit, Step: j.step, Stopped: j.stopped}
	if j.state < state(len(tasks)) && tasks[j.state] != "" {
		t.Do = tasks[j.state]
	}
	switch j.state {
	case deciding:
		t.About, t.Stands = journal.If, j.stands
	case counting:
		t.About = journal.Elements
	case judging:
		t.About, t.Round = journal.Until, j.round
	case ready:
		if j.goesOn {
			t.Do = GoOn
		}
	case resting:
		t.UntilMilli, t.MostMilli = j.until, j.atMost
	case closing:
		t.Status = j.status
		return t
	}
	if j.state == judging || j.state == ready || j.state == resting || j.state == working || j.state == finishing && !j.isFan() {
		t.Unit = j.unit.WithAttempt(j.attempt)
	}
	return t
}
