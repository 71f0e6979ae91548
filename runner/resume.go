package runner

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// resume takes in what earlier processes did, and records that the run is resumed.
func (e *exec) resume() error {
	if err := e.readEarlier(); err != nil {
		return err
	}
	var lacking []journal.Address
	if !e.Resume.Changed { // which has conversations start over
		var err error
		if lacking, err = e.lackSecrets(&e.records.Top); err != nil {
			return err
		}
	}
	resumed, err := e.resumption(lacking)
	if err != nil {
		return err
	}
	if err := e.checkFrom(); err != nil { // before it is written
		return err
	}
	open := slices.Clone(e.records.Waits)
	open.Take(&resumed)
	waits, err := ReadWaits(e.journal.Reader, open, stepsOf(e.top.Steps, "", nil))
	if err == nil {
		err = e.match(waits, e.Resume.Answers)
	}
	if err != nil {
		return err
	}
	if err := e.record(&resumed); err != nil {
		return err
	}
	e.joinTrace(e.records.Process)
	for _, u := range lacking {
		e.note(u, "restarted: it was running, and a secret in its conversation has changed")
	}
	e.since = time.Now()
	if err := e.recordReplies(waits); err != nil {
		return err
	}
	e.barrier.close()
	if e.dry != nil {
		return nil
	}
	return ignoreMissing(e.folder.root.Remove("run.json"))
}

// readEarlier reads what earlier processes did.
func (e *exec) readEarlier() error {
	x, before := e.records, Beginning{}
	x.Whole, x.Retain, e.anyModel = e.Resume.Changed, slices.Clone(e.Resume.From), e.Model != ""
	for _, r := range e.journal.Earlier {
		if err := before.take(r); err != nil {
			return err
		}
		x.Whole, x.Retain, e.anyModel = x.Whole || r.Changed, append(x.Retain, r.From...), e.anyModel || before.Options.Model != ""
	}
	x.Hidden = func(r *journal.Record) bool { return journal.Hidden(e.journal.Data(*r)) }
	for r, err := range e.journal.Records() {
		if err != nil {
			return err
		}
		x.Take(&r)
	}
	x.Hidden = nil // in memory there is all of what this process does
	x.Mark(&journal.Record{Seq: math.MaxInt64, Failed: e.Resume.Failed, Changed: e.Resume.Changed})
	e.began, e.worked = x.Began, x.Worked
	e.noteCommit(before.lastCommit)
	return nil
}

// resumption returns the record with which the run is resumed.
func (e *exec) resumption(lacking []journal.Address) (resumed journal.Record, err error) {
	options, err := json.Marshal(e.recordedOptions())
	if err != nil {
		return resumed, err
	}
	with := journal.Resumption{Options: options, Commit: e.commit()}
	resumed = journal.Record{Kind: journal.Resumed, Parallel: e.MaxParallel, Trace: e.recordedTrace(), From: append(slices.Clip(e.Resume.From), lacking...), Failed: e.Resume.Failed, Changed: e.Resume.Changed}
	resumed.Time = time.Now().UTC()
	if e.Resume.Changed {
		start, err := e.description()
		if err != nil {
			return resumed, err
		}
		with.Start = &start
	}
	data, err := json.Marshal(with)
	resumed.Data = data
	return resumed, err
}

// checkFrom returns an error if a unit that is to run again is none of the run's or, if the files have
// changed, of no step of the workflow.
func (e *exec) checkFrom() error {
	top := &e.records.Top
	if e.Resume.Changed {
		top = nil
	}
	for _, u := range e.Resume.From {
		if err := findAgain(e.top.Steps, top, u); err != nil {
			return &steps.Error{Kind: steps.KindInvalidInput, Message: err.Error(), Option: OptionUnits}
		}
	}
	return nil
}

// findAgain returns an error if a unit can't run again: no such step is in the list or, unless top is nil, the
// run has no such element. A step that has not begun yet runs anyway.
func findAgain(list []*workflows.Step, top *history.Unit, u journal.Address) (err error) {
	if u.IsZero() {
		return errors.New("to rerun all of it, use flow run")
	}
	at := top
	var around journal.Address
	for part := range u.Parts() {
		i := slices.IndexFunc(list, func(s *workflows.Step) bool { return s.Name == part.Name })
		switch {
		case i < 0 && top == nil:
			return fmt.Errorf("the workflow has no step %q", u.Path())
		case i < 0:
			return noUnit(u)
		case list[i].OfferedBy != nil:
			return fmt.Errorf("%q is inside a call of the model of %q, which can only be rerun as a whole", u, around)
		}
		if top != nil {
			if at, err = insideAgain(cmp.Or(at, &history.Unit{}), part, u); err != nil {
				return err
			}
		}
		around = around.Child(part.Name).WithRound(part.Round)
		if part.Element >= 0 {
			around = around.WithElement(part.Element)
		}
		list = list[i].Inside()
	}
	return nil
}

func noUnit(u journal.Address) error { return fmt.Errorf("the run has no step or element %q", u) }

// insideAgain returns what is known of the part of u inside a unit; nil if it has not begun. A round has to be
// the last one; attempts can be left out.
func insideAgain(at *history.Unit, part journal.Part, u journal.Address) (*history.Unit, error) {
	inner := at.Steps[part.Name]
	if inner != nil && part.Element >= 0 {
		inner = inner.ElementOf(part.Element)
	}
	switch round := at.Round(); {
	case inner == nil && (part.Element >= 0 || part.Round != 0) || part.Round != 0 && round == 0:
		return nil, noUnit(u)
	case part.Round != 0 && part.Round != round:
		return nil, fmt.Errorf("%q is in round %d: only the last round can be rerun, or all of them", at.Unit, round)
	case part.Attempt != 0 && inner != nil && part.Attempt != max(inner.Attempt, 1):
		return nil, fmt.Errorf("%q is in attempt %d", inner.Unit, max(inner.Attempt, 1))
	}
	return inner, nil
}

// noteCommit warns if the workspace is at another commit than when the last process in the run
// ended, since files that were read are not compared. If that process was killed, the commit is
// the one at which it began.
func (e *exec) noteCommit(before string) {
	now := e.commit()
	if before != "" && now != before {
		message := fmt.Sprintf("the workspace is at commit %.12s, and was at %.12s when the run last stopped: files that the run has read may have changed since", cmp.Or(now, "none"), before)
		e.note(journal.Address{}, message)
	}
}
