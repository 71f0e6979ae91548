package view

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/steps"
)

// State is where a run stands, as a person sees it.
type State string

// The states of a run that has not come to an end. The others are the statuses of
// results.
const (
	Running State = "running"
	Waiting State = "waiting" // for a person
	CutOff  State = "cut_off" // killed, or its machine died
)

// A Past is a run as its journal has it, whether it has ended or not. Its counts
// are those of all of its processes.
type Past struct {
	Start       record.Start
	Result      runner.Result // of a run that has not ended without its error, its time and what it has used
	State       State         // "" where the journal is broken before its end
	Again       bool          // it was gone on with, and nobody is waited for
	Began, Last time.Time     // the first record, and the last
	worked      time.Duration // between them
	Broken      error         // what is wrong with the journal; what comes after it is not told
	Counts
	Unpriced []string // models whose price is not known

	Steps   []*PastStep   // that have begun, or are not to, in the file's order; without those inside of elements
	First   *Trouble      // what failed first, of what is not mended; nil: nothing
	Costly  []Spender     // the units that have used most, most first
	Short   []Shortfall   // elements that did not succeed, by the paths of their steps, and then steps
	Now     []*Unit       // what runs
	Waits   []runner.Wait // for a person
	Warned  []string      // the first warnings of the run, each once
	Denials []string      // lines that name the denied calls
	Unasked bool          // a call was denied because nobody could be asked
}

// Took is how long the run has taken, as far as it is known.
func (p *Past) Took() time.Duration {
	if p.Result.Duration > 0 {
		return time.Duration(p.Result.Duration) * time.Millisecond
	}
	return p.worked
}

// Outcome is the state and, of a run that succeeded although elements or steps did not, those.
func (p *Past) Outcome() string { return Outcome(steps.Status(p.State), p.Short) }

// A PastStep is a step, all of its elements together.
type PastStep struct {
	Path     string
	Agent    string             // whose settings it takes, by its name in the workflow; "": none
	Status   steps.Status       // "" where it has not ended
	Result   *runner.StepResult // without its elements; nil where it has not ended
	Counts   Counts
	Elements *Elements // of a foreach
	Troubles []Trouble // of its elements, and in them: those with the same words once
	Untold   int       // elements that did not succeed, and steps in them, that are in no trouble
}

// A Trouble is what went wrong in a unit, or in several.
type Trouble struct {
	steps.Error
	Unit  string    `json:"unit"`            // where it was first
	Label string    `json:"label,omitempty"` // of the element that it is, or that it is in
	Time  time.Time `json:"time"`
	Also  []string  `json:"-"` // units of which the same is true: the first ones
	Times int       `json:"-"` // how many there are in all
}

// A Spender is a unit with what it has used.
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

// A Glance is what a list of runs says of one.
type Glance struct {
	ID       string        `json:"run_id"`
	Folder   string        `json:"folder"`
	Workflow string        `json:"workflow"`
	State    State         `json:"state,omitempty"` // "" where the journal can't be read, or is broken
	Began    time.Time     `json:"started_at"`
	Took     time.Duration `json:"-"`
	TookMS   int64         `json:"duration_ms"`
	Cost     runner.Cost   `json:"cost_usd"`
	Failed   *Trouble      `json:"failed_first,omitempty"`
	Broken   string        `json:"broken,omitempty"` // what is wrong with its journal
}

// ReadGlance is what there is to say of the run in a folder at a glance. Of a run
// in which all succeeded only the ends of its journal are read.
func ReadGlance(dir string) (*Glance, error) {
	from, err := journal.OpenReader(dir)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	first, err := from.First()
	if err != nil {
		return nil, err
	}
	if last, err := from.Last(); err == nil && last.Kind == record.End && last.Status == record.Succeeded && !last.Forgiven {
		f := &pastFold{Past: &Past{}, from: from}
		if err := errors.Join(f.take(first), f.take(last), f.close()); err == nil {
			return f.glance(dir), nil
		}
	}
	p, err := ReadPast(dir)
	if err != nil {
		return nil, err
	}
	return p.glance(dir), nil
}

func (p *Past) glance(dir string) *Glance {
	g := &Glance{
		ID: p.Start.RunID, Folder: dir, Workflow: p.Start.Workflow.Name, State: p.State, Began: p.Began, Took: p.Took(),
		Cost: p.Cost(), Failed: p.First,
	}
	g.TookMS = g.Took.Milliseconds()
	if p.Broken != nil {
		g.Broken = p.Broken.Error()
	}
	return g
}

// GlanceAt is [ReadGlance] of a folder whatever its journal says: one that can't be
// read has no state, and says why.
func GlanceAt(dir string) *Glance {
	g, err := ReadGlance(dir)
	if err != nil {
		g = &Glance{ID: filepath.Base(dir), Folder: dir, Began: journal.BeganAt(dir), Broken: err.Error()}
	}
	return g
}

// Cost is what the run has cost.
func (p *Past) Cost() runner.Cost {
	if !p.Result.Finished.IsZero() {
		return p.Result.Cost
	}
	return runner.Cost{USD: p.CostUSD, Known: len(p.Unpriced) == 0}
}
