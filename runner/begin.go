package runner

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// beginRun writes the first record of a new run.
func (e *exec) beginRun() error {
	e.run.since = time.Now()
	e.run.began = e.run.since
	start, err := e.run.start(e.top)
	if err != nil {
		return err
	}
	data, err := jsonline.Encode(start)
	if err != nil {
		return err
	}
	return e.journal.Append(&journal.Record{Kind: journal.Run, Version: journal.Version, Parallel: e.MaxParallel, Data: data})
}

// resume takes in what earlier processes did, and records that the run is resumed.
func (e *exec) resume() error {
	if err := e.readEarlier(); err != nil {
		return err
	}
	var lacking []journal.Unit
	if !e.Resume.Changed { // which has conversations start over
		var err error
		if lacking, err = e.lackSecrets(e.earlier.top()); err != nil {
			return err
		}
	}
	fact, err := e.resumption(lacking)
	if err != nil {
		return err
	}
	if err := e.checkFrom(e.Resume.From); err != nil { // before it is written
		return err
	}
	e.earlier.Take(&fact)
	waits, err := ReadWaits(e.journal.Reader, e.earlier.Waits, stepsOf(e.top.Steps, "", nil))
	if err == nil {
		err = e.match(waits, e.Resume.Answers)
	}
	if err != nil {
		return err
	}
	if err := e.journal.Append(&fact); err != nil {
		return err
	}
	if e.Resume.Changed && e.dry == nil { // a dry run writes no record
		e.earlier.changed = fact.Seq
	}
	for _, u := range lacking {
		e.note(u, "restarted: it was running, and a secret in its conversation has changed")
	}
	e.run.since = time.Now()
	e.account.count(e.earlier.Top.Spent.Plus(e.earlier.Top.InFlight), e.earlier.Top.InFlight)
	if err := e.recordReplies(waits); err != nil {
		return err
	}
	e.gate.close()
	if e.dry != nil {
		return nil
	}
	return ignoreMissing(e.folder.root.Remove("run.json"))
}

// readEarlier reads what earlier processes did.
func (e *exec) readEarlier() error {
	e.earlier.Run = &history.Run{Resumes: true, Whole: e.Resume.Changed, Retain: slices.Clone(e.Resume.From)}
	if err := e.readMarks(); err != nil {
		return err
	}
	for r, err := range e.journal.Records() {
		if err != nil {
			return err
		}
		e.earlier.Take(&r)
	}
	e.run.began, e.run.worked = e.earlier.Began, e.earlier.Worked
	return nil
}

// readMarks looks at the records with which earlier processes began to work in the run, and ended
// it.
func (e *exec) readMarks() error {
	x := &e.earlier
	x.anyModel = e.Model != ""
	commit, failed := "", false
	for _, r := range e.journal.Earlier {
		switch r.Kind {
		case journal.Run, journal.Resumed:
			o, at, err := optionsIn(e.journal.Reader, r)
			if err != nil {
				return err
			}
			commit, x.anyModel = at, x.anyModel || o.Model != ""
			x.mark(r, failed)
			failed = false
		case journal.End:
			var at struct{ Commit string }
			if e.journal.Decode(r, &at) == nil { // what is lost of the end is not needed for anything else
				commit = at.Commit
			}
			failed = r.Status == journal.Failed || r.Status == journal.Stopped
		}
	}
	x.mark(journal.Record{Seq: math.MaxInt64, From: e.Resume.From, Failed: e.Resume.Failed, Changed: e.Resume.Changed}, failed)
	e.noteCommit(commit)
	return nil
}

// mark applies that a process began to work in the run. failed says that the process before it
// ended it as failed.
func (x *earlier) mark(r journal.Record, failed bool) {
	x.Retain = append(x.Retain, r.From...)
	if r.Changed {
		x.changed, x.onlyFailed, x.Whole = r.Seq, r.Failed, true
	}
	if failed || r.Failed {
		x.retried = r.Seq
	}
	if r.Failed {
		x.reached = r.Seq
	}
}

// resumption returns the record with which the run is resumed.
func (e *exec) resumption(lacking []journal.Unit) (fact journal.Record, err error) {
	options, err := json.Marshal(e.recorded())
	if err != nil {
		return fact, err
	}
	with := journal.Resumption{Options: options, Commit: e.commit(e.top)}
	fact = journal.Record{Kind: journal.Resumed, Parallel: e.MaxParallel, From: append(slices.Clip(e.Resume.From), lacking...), Failed: e.Resume.Failed, Changed: e.Resume.Changed}
	fact.Time = time.Now().UTC()
	if e.Resume.Changed {
		start, err := e.run.start(e.top)
		if err != nil {
			return fact, err
		}
		if err := areSteps(e.Resume.From, start.Steps); err != nil {
			return fact, err
		}
		with.Start = &start
	}
	data, err := json.Marshal(with)
	fact.Data = data
	return fact, err
}

func unknownUnit(message string) error {
	return &steps.Error{Kind: steps.KindInvalidInput, Message: message, Option: OptionUnits}
}

// areSteps returns an error if a unit is of no step of the workflow.
func areSteps(units []journal.Unit, list []journal.Step) error {
	for _, u := range units {
		if !slices.ContainsFunc(list, func(s journal.Step) bool { return s.Path == u.Path() }) {
			return unknownUnit("the workflow has no step " + u.Path())
		}
	}
	return nil
}

// checkFrom returns an error if a unit that is to run again is none of the run's. A round in its
// address has to be the last one; attempts can be left out.
func (e *exec) checkFrom(units []journal.Unit) error {
	if e.Resume.Changed {
		return nil
	}
	for _, u := range units {
		if err := findAgain(e.top.Steps, e.earlier.top(), u); err != nil {
			return unknownUnit(err.Error())
		}
	}
	return nil
}

// findAgain returns an error if a unit is none of the run's. A step that has no record yet is one: it
// runs anyway.
func findAgain(list []*workflows.Step, at *history.Unit, u journal.Unit) error {
	if u.IsZero() {
		return errors.New("to rerun all of it, use flow run")
	}
	parts := slices.Collect(u.Parts())
	for n, part := range parts {
		inner := at.Steps[part.Name]
		if inner == nil && isToCome(list, parts[n:]) {
			return nil
		}
		list = insideOf(list, part.Name)
		if inner != nil && part.Element >= 0 {
			if inner = at.Steps[part.Name].ElementOf(part.Element); inner == nil {
				return fmt.Errorf("the run has no unit %s", u)
			}
		}
		if err := checkPart(at, inner, part, u); err != nil {
			return err
		}
		at = inner
	}
	return nil
}

// checkPart returns an error if a part of an address names nothing in the unit that the parts before it
// name. inner is what it names.
func checkPart(at, inner *history.Unit, part journal.Part, u journal.Unit) error {
	switch round := at.Round(); {
	case inner == nil && at.Unit.IsZero():
		return fmt.Errorf("the run has no unit %s", u)
	case inner == nil && at.Began.IsZero() && at.Ended == 0:
		return fmt.Errorf("the run has no unit %s: %s has not begun", u, at.Unit)
	case inner == nil:
		return fmt.Errorf("the run has no unit %s", u)
	case part.Round != 0 && round == 0 && inner.Round() != 0:
		return fmt.Errorf("the run has no unit %s: number the rounds of %s at a step in it, such as %s/%s#%d", u, part.Name, part.Name, anyStep(inner), part.Round)
	case part.Round != 0 && round == 0:
		return fmt.Errorf("the run has no unit %s: # numbers the rounds of a group with until, and %s is in none", u, part.Name)
	case part.Round != 0 && part.Round != round:
		return fmt.Errorf("%q is in round %d: only the last round can be rerun, or all of them", at.Unit, round)
	case part.Attempt != 0 && part.Attempt != max(inner.Attempt, 1):
		return fmt.Errorf("%q is in attempt %d", inner.Unit, max(inner.Attempt, 1))
	}
	return nil
}

// isToCome reports whether parts of an address name a step, and no round or element of it.
func isToCome(list []*workflows.Step, parts []journal.Part) bool {
	for _, part := range parts {
		if part.Round != 0 || part.Element >= 0 || !slices.ContainsFunc(list, func(s *workflows.Step) bool { return s.Name == part.Name }) {
			return false
		}
		list = insideOf(list, part.Name)
	}
	return true
}

// insideOf returns the steps inside the step with that name.
func insideOf(list []*workflows.Step, name string) []*workflows.Step {
	i := slices.IndexFunc(list, func(s *workflows.Step) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return list[i].Inside()
}

// noteCommit warns if the workspace is at another commit than when the last process in the run
// ended, since files that were read are not compared. If that process was killed, the commit is
// the one at which it began.
func (e *exec) noteCommit(before string) {
	now := e.commit(e.top)
	if before != "" && now != before {
		message := fmt.Sprintf("the workspace is at commit %.12s, and was at %.12s when the run last stopped: files that the run has read may have changed since", cmp.Or(now, "none"), before)
		e.note(journal.Unit{}, message)
	}
}

// anyStep returns the name of a step inside a unit, as an example.
func anyStep(u *history.Unit) string {
	return slices.Sorted(maps.Keys(u.Steps))[0]
}
