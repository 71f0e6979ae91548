package plan

import (
	"container/list"

	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/runner/unit"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An Action is what a task asks for.
type Action string

// The actions, with the records that end their tasks.
const (
	Decide   Action = "decide"   // evaluate what About says: Decided, or Ended where that fails; a group's Until, Again too
	Begin    Action = "begin"    // render and begin an attempt: Began, or Again or Ended where that fails
	GoOn     Action = "go on"    // go on with an attempt that was in flight, or waited for a person: Began
	Rest     Action = "rest"     // wait until UntilMilli, then: Decided about Rested
	Cancel   Action = "cancel"   // end what works; whatever comes of it: Ended
	Close    Action = "close"    // write down a unit that does not begin, or not again, with the status: Ended
	Conclude Action = "conclude" // put together what a foreach, a group, a used workflow or the run came to: Ended, Again, or End
)

// A Task is what is due.
type Task struct {
	Do   Action
	Unit unit.Unit // an attempt where the records that end the task name one; the zero Unit is the run
	Step *workflows.Step

	About      record.About  // Decide
	Round      int           // Decide about Until: the round that has ended
	Stands     bool          // Decide about If: none of the steps that it needs, directly or not, failed
	Status     record.Status // Close
	Stopped    Stop          // Cancel, Close, Conclude: why the unit has to end, if it has
	UntilMilli int64         // Rest: Unix time in milliseconds
}

// An agenda holds the jobs with a task, in the order in which those became due.
type agenda struct{ list.List }

// tasks says which states have a task.
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

// cancel asks for the end of what works.
func (p *Plan) cancel(j *job) {
	if j.due == nil {
		j.due = p.agenda.PushBack(j)
	}
}

// Due returns what is due, in the order in which it became so. Units that have a
// task to begin or to go on and those that work are together never more than may
// work at once.
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

// Stands reports whether a task that was due still is.
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
		t.About, t.Stands = record.If, j.stands
	case counting:
		t.About = record.Elements
	case judging:
		t.About, t.Round = record.Until, j.round
	case ready:
		if j.goesOn {
			t.Do = GoOn
		}
	case resting:
		t.UntilMilli = j.until
	case closing:
		t.Status = j.status
		return t
	}
	if j.state == judging || j.state == ready || j.state == resting || j.state == working || j.state == finishing && !j.isFan() {
		t.Unit = j.unit.WithAttempt(j.attempt)
	}
	return t
}
