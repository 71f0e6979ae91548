package view

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// State is the state of a run for a person.
type State string

// The states of a run that has not ended. The others are the statuses of results.
const (
	Running State = "running"
	Waiting State = "waiting" // for a person
	CutOff  State = "cut_off" // killed, or its machine died
)

// InPart is for a [Choice] alone: runs that succeeded although elements or steps did not.
const InPart State = "in_part"

// A Past is a run according to its journal, whether it has ended or not. It counts what all of
// its processes did.
type Past struct {
	Start       journal.Start
	Result      runner.Result // if the run has not ended: without its error, its time and what it has used
	State       State         // "" if the journal is damaged before its end
	Began, Last time.Time     // the first record, and the last
	worked      time.Duration // between them
	Broken      error         // what is wrong with the journal; nothing after that is shown
	Counts
	Unpriced []string // models whose price is not known

	Steps   []*PastStep   // steps that have begun, or will not begin, in the file's order; without those inside elements
	First   *Trouble      // the first failure that still stands; nil: there is none
	Costly  []Spender     // the units that have used most, most first
	Short   []Shortfall   // what did not succeed: elements, by the paths of their steps, and then steps
	Now     []*Unit       // what runs
	Waits   []runner.Wait // for a person
	Warned  []string      // the first warnings of the run, each once
	Denials []string      // lines with the denied calls
	Unasked bool          // a call was denied because nobody could be asked
}

// Took returns how long the run has taken, as far as that is known.
func (p *Past) Took() time.Duration {
	if p.Result.Duration > 0 {
		return time.Duration(p.Result.Duration) * time.Millisecond
	}
	return p.worked
}

// Outcome returns the state and, if the run succeeded although elements or steps did not, what
// did not.
func (p *Past) Outcome() string { return Outcome(steps.Status(p.State), p.Short) }

// A PastStep is a step with all of its elements.
type PastStep struct {
	Path      string
	Agent     string             // the agent whose settings it takes; "": none
	Status    steps.Status       // "" where it has not ended
	Continued bool               // it failed, or was stopped at a limit, and that counts as success, or the failure of a step around it does
	Result    *runner.StepResult // without its elements; nil if it has not ended
	Counts    Counts
	Elements  *Elements // of a foreach
	Troubles  []Trouble // of its elements and inside them, each with different words
	Untold    int       // how many failures of elements, and of steps in them, are in no trouble
}

// A Trouble is a failure of a unit, or of several with the same message.
type Trouble struct {
	steps.Error
	Unit  string    `json:"unit"`            // where it was first
	Label string    `json:"label,omitempty"` // of the element that it is, or that it is in
	Time  time.Time `json:"time"`
	Also  []string  `json:"-"` // the first other units with the same failure
	Times int       `json:"-"` // how many there are in all
}

// A Spender is a unit and what it has used.
type Spender struct {
	Unit, Label string
	Took        time.Duration
	Counts
}

// ReadPast reads the journal in the folder of a run, in memory that grows with what
// failed, not with what was said. The error is for a folder whose journal does not
// tell what began; where it is broken behind that, Broken says so.
func ReadPast(dir string) (*Past, error) {
	from, err := journal.OpenReader(dir)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	f := &pastFold{Past: &Past{}, from: from}
	for r, err := range from.Records() {
		if err == nil {
			err = f.take(r)
		}
		if err != nil && f.run.Began.IsZero() {
			return nil, err
		}
		if err != nil {
			f.Broken = err
			break
		}
	}
	if f.run.Began.IsZero() {
		_, err := from.First()
		return nil, err
	}
	return f.Past, f.close()
}

// A Glance is what a list of runs shows of one.
type Glance struct {
	ID       string        `json:"run_id"`
	Folder   string        `json:"folder"`
	Workflow string        `json:"workflow"`
	State    State         `json:"state,omitempty"`   // "" where the journal can't be read, or is broken
	InPart   bool          `json:"in_part,omitempty"` // it succeeded, and elements or steps did not
	Began    time.Time     `json:"started_at"`
	Took     time.Duration `json:"-"`
	TookMS   int64         `json:"duration_ms"`
	Cost     runner.Cost   `json:"cost_usd"`
	Failed   *Trouble      `json:"failed_first,omitempty"`
	Broken   string        `json:"broken,omitempty"` // what is wrong with its journal
}

// glanceAt reads the run in a folder for a list. One that can't be read has no state, and Broken says
// why.
func glanceAt(dir string) *Glance {
	p, err := readEnds(dir)
	if err == nil && p == nil {
		p, err = ReadPast(dir)
	}
	if err != nil {
		return &Glance{ID: filepath.Base(dir), Folder: dir, Began: journal.BeganAt(dir), Broken: err.Error()}
	}
	return p.glance(dir)
}

// readEnds reads only both ends of the journal of a run in which everything succeeded; it returns nil
// for any other run.
func readEnds(dir string) (*Past, error) {
	from, err := journal.OpenReader(dir)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	first, err := from.First()
	if err != nil {
		return nil, err
	}
	if last, err := from.Last(); err == nil && last.Kind == journal.End && last.Status == journal.Succeeded && !last.Forgiven {
		f := &pastFold{Past: &Past{}, from: from}
		if err := errors.Join(f.take(first), f.take(last), f.close()); err == nil {
			return f.Past, nil
		}
	}
	return nil, nil
}

func (p *Past) glance(dir string) *Glance {
	g := &Glance{
		ID: p.Start.RunID, Folder: dir, Workflow: p.Start.Workflow.Name, State: p.State, Began: p.Began, Took: p.Took(),
		Cost: p.Cost(), Failed: p.First, InPart: p.State == State(steps.Succeeded) && len(p.Short) > 0,
	}
	g.TookMS = g.Took.Milliseconds()
	if p.Broken != nil {
		g.Broken = p.Broken.Error()
	}
	return g
}

// Cost returns what the run has cost.
func (p *Past) Cost() runner.Cost {
	if !p.Result.Finished.IsZero() {
		return p.Result.Cost
	}
	return runner.Cost{USD: p.CostUSD, Known: len(p.Unpriced) == 0}
}
