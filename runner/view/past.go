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

// NotBegun is for a [Row] alone: nothing of it has begun, or nothing since it is to run again.
const NotBegun State = "not_begun"

// InPart is for a [Choice] alone: runs that succeeded although elements or steps did not.
const InPart State = "in_part"

// A Summary is what a list of runs shows of one.
type Summary struct {
	ID       string        `json:"run_id"`
	Folder   string        `json:"folder"`
	Workflow string        `json:"workflow"`          // its name
	State    State         `json:"state,omitempty"`   // "" where the journal can't be read, or is broken
	InPart   bool          `json:"in_part,omitempty"` // it succeeded, and elements or steps did not
	Began    time.Time     `json:"started_at"`
	Took     time.Duration `json:"-"` // without the time between processes
	TookMS   int64         `json:"duration_ms"`
	Cost     runner.Cost   `json:"cost_usd"`
	Failed   *Trouble      `json:"failed_first,omitempty"` // the first failure that still stands; nil: there is none
	Broken   string        `json:"broken,omitempty"`       // what is wrong with the journal; nothing after that is shown
}

// A Past is a run according to its journal, whether it has ended or not. It counts what all of
// its processes did.
type Past struct {
	Summary
	Counts   `json:"-"`
	Start    journal.Start
	Result   runner.Result // if the run has not ended: without its error, its time and what it has used
	Unpriced []string      // models whose price is not known

	Steps   []*Unit     // steps that have begun, or will not begin, in the file's order; without those inside elements
	Costly  []*Unit     // the units that have used most, most first
	Now     []*Unit     // what runs: steps first, then what is inside a foreach
	Short   []Shortfall // what did not succeed: elements, by the paths of their steps, and then steps
	Warned  []string    // the first warnings of the run, each once
	Denials []string    // lines with the denied calls
	Unasked bool        // a call was denied because nobody could be asked
}

// Outcome returns the state and, if the run succeeded although elements or steps did not, what
// did not.
func (p *Past) Outcome() string { return Outcome(steps.Status(p.State), p.Short) }

// A Trouble is a failure of a unit, or of several with the same message.
type Trouble struct {
	steps.Error
	Unit  string    `json:"unit"`            // where it was first
	Label string    `json:"label,omitempty"` // of the element that it is, or that it is in
	Time  time.Time `json:"time"`
	Also  []string  `json:"-"` // the first other units with the same failure
	Times int       `json:"-"` // how many there are in all
}

// ReadPast reads the journal in the folder of a run, in memory that grows with what
// failed, not with what was said. The error is for a folder whose journal does not
// tell what began; where it is broken behind that, Broken says so.
func ReadPast(dir string) (*Past, error) {
	f, err := openReading(dir)
	if err != nil {
		return nil, err
	}
	defer f.from.Close()
	return f.Past, f.read()
}

// summaryAt reads the run in a folder for a list. One that can't be read has no state, and Broken says
// why.
func summaryAt(dir string) *Summary {
	p, err := readEnds(dir)
	if err == nil && p == nil {
		p, err = ReadPast(dir)
	}
	if err != nil {
		return &Summary{ID: filepath.Base(dir), Folder: dir, Began: journal.BeganAt(dir), Broken: err.Error()}
	}
	return &p.Summary
}

// readEnds reads only both ends of the journal of a run in which everything succeeded; it returns nil
// for any other run.
func readEnds(dir string) (*Past, error) {
	f, err := openReading(dir)
	if err != nil {
		return nil, err
	}
	defer f.from.Close()
	first, err := f.from.First()
	if err != nil {
		return nil, err
	}
	if last, err := f.from.Last(); err == nil && last.Kind == journal.End && last.Status == steps.Succeeded && !last.Forgiven {
		if err := errors.Join(f.take(&first), f.take(&last), f.close()); err == nil {
			return f.Past, nil
		}
	}
	return nil, nil
}
