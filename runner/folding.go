package runner

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/steps"
)

// beginRun writes the first record of a new run.
func (e *engine) beginRun() error {
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
	fact := journal.Record{Kind: journal.Run, Version: journal.Version, Parallel: e.MaxParallel, Data: data}
	if err := e.journal.Append(&fact); err != nil {
		return err
	}
	e.seq, e.live = fact.Seq, true
	return e.plan.Take(fact)
}

// resume folds the journal of a run, and records that the run is resumed.
func (e *engine) resume() error {
	if err := e.foldJournal(); err != nil {
		return err
	}
	lacking, err := e.lackSecrets(e.root)
	if err != nil {
		return err
	}
	fact, err := e.resumption(lacking)
	if err != nil {
		return err
	}
	e.seq++
	fact.Seq = e.seq
	if err := e.plan.Take(fact); err != nil { // before it is written: From may name an unknown unit
		return unknownUnit(errors.Unwrap(err).Error())
	}
	answers, err := e.match(e.Resume.Answers)
	if err != nil {
		return err
	}
	if err := e.journal.Append(&fact); err != nil {
		return err
	}
	e.root.budget.spend(fact.Spent)
	for _, u := range lacking {
		e.note(u, "restarted: it was running, and a secret in its conversation has changed")
	}
	for _, u := range e.plan.Stale() {
		e.note(u, "not rerun although a step that it depends on was: it has once: true, and has started")
	}
	e.live, e.run.since = true, time.Now()
	e.given = len(answers)
	for _, a := range answers {
		e.answer(e.node(a.Unit), a.Wait, a.reply)
	}
	if e.dry != nil {
		return nil
	}
	return ignoreMissing(e.folder.root.Remove("run.json"))
}

// foldJournal folds the records of earlier processes.
func (e *engine) foldJournal() error {
	from, may, err := e.beforehand()
	if err != nil {
		return err
	}
	var last time.Time
	may.Revived = e.revived
	e.plan = plan.New(e.top.Workflow, may)
	for r, err := range e.journal.Records() {
		if err != nil {
			return err
		}
		switch r.Kind {
		case journal.Run:
			e.run.began = r.Time
		case journal.Resumed:
		default:
			e.run.worked += r.Time.Sub(last)
		}
		last, e.seq = r.Time, r.Seq
		if r.Seq < from {
			err = e.old.take(r)
		} else {
			err = e.foldAgain(r)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", journal.File, err)
		}
	}
	return nil
}

// beforehand returns the number of the record from which on the journal is about the present
// files, and the options of a plan from there on. It looks at the records with which
// processes began to work in the run.
func (e *engine) beforehand() (from int64, may plan.Options, err error) {
	first := plan.Options{Retain: e.Resume.From, Failed: e.Resume.Failed}
	may = first
	anyModel, commit := e.Model != "", ""
	for _, r := range e.journal.Earlier {
		if r.Kind == journal.Resumed && r.Changed {
			from, e.anew, may, e.onlyFailed = r.Seq, nil, first, r.Failed
		}
		e.anew = append(e.anew, r.From...)
		may.Retain = slices.Concat(may.Retain, r.From)
		may.Failed = may.Failed || r.Failed && !r.Changed
		if r.Kind == journal.Run || r.Kind == journal.Resumed {
			var o Recorded
			if o, commit, err = optionsIn(e.journal.Reader, r); err != nil {
				return 0, may, err
			}
			anyModel = anyModel || o.Model != ""
		}
		if r.Kind == journal.End {
			var at struct{ Commit string }
			if e.journal.Decode(r, &at) == nil { // what is lost of the end is not needed for anything else
				commit = at.Commit
			}
		}
	}
	e.noteCommit(commit)
	if e.Resume.Changed {
		from, e.anew, may = math.MaxInt64, e.Resume.From, plan.Options{}
		e.onlyFailed = e.Resume.Failed
	}
	if from > 0 {
		e.old = newOldWork(e.journal.Reader, anyModel)
	}
	return from, may, nil
}

// foldAgain folds a record that is about the present files.
func (e *engine) foldAgain(r journal.Record) error {
	if err := e.plan.Take(r); err != nil {
		return err
	}
	switch {
	case r.Kind == journal.Resumed && r.Changed:
		e.root.budget.spend(r.Spent)
		e.old.index()
	case r.Kind == journal.Resumed:
	case !r.Unit.IsZero() && r.Kind != journal.Warned:
		e.fold(e.node(r.Unit), &r)
	}
	return nil
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

// resumption returns the record with which the run is resumed.
func (e *engine) resumption(lacking []journal.Unit) (fact journal.Record, err error) {
	options, err := json.Marshal(e.recorded())
	if err != nil {
		return fact, err
	}
	with := journal.Resumption{Options: options, Commit: e.commit(e.top)}
	fact = journal.Record{Kind: journal.Resumed, Parallel: e.MaxParallel, From: append(slices.Clip(e.Resume.From), lacking...), Failed: e.Resume.Failed}
	if e.Resume.Changed {
		e.old.index()
		fact.Changed, fact.Base, fact.Spent = true, e.old.base, e.old.spent
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

// noteCommit warns if the workspace is at another commit than when the last process in the run
// ended, since files that were read are not compared. If that process was killed, the commit is
// the one at which it began.
func (e *engine) noteCommit(before string) {
	now := e.commit(e.top)
	if before != "" && now != before {
		message := fmt.Sprintf("the workspace is at commit %.12s, and was at %.12s when the run last stopped: files that the run has read may have changed since", cmp.Or(now, "none"), before)
		e.note(journal.Unit{}, message)
	}
}

// warnOfSecrets warns if a kept result, or that of an element, may lack a secret. The unit
// does not run again because of that: it may have had an effect.
func (e *engine) warnOfSecrets(n *node, r *StepResult) {
	if !r.lacks {
		return
	}
	e.note(n.unit, "its result is kept, with *** in place of secrets")
}
