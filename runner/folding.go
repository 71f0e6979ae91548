package runner

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/steps"
)

// begin begins the journal of a new run.
func (e *engine) beginRun() error {
	start, err := e.run.start(e.top)
	if err != nil {
		return err
	}
	fact := record.Record{Kind: record.Run, Version: record.Version, Parallel: e.MaxParallel, Data: start}
	if err := e.journal.Append(&fact); err != nil {
		return err
	}
	e.seq, e.live = fact.Seq, true
	return e.plan.Take(fact)
}

// resume folds the journal of a run, and goes on with it.
func (e *engine) resume() error {
	retain := e.Resume.From
	for r, err := range e.journal.Records() {
		if err != nil {
			return err
		}
		retain = append(retain[:len(retain):len(retain)], r.From...)
	}
	e.plan = plan.New(e.workflow, plan.Options{BudgetUSD: e.BudgetUSD, Retain: retain})
	for r, err := range e.journal.Records() {
		if err != nil {
			return err
		}
		if err := e.plan.Take(r); err != nil {
			return fmt.Errorf("%s: %w", journalName, err)
		}
		if e.seq = r.Seq; r.Kind == record.Run {
			e.run.began = r.Time
		}
		if r.Kind == record.Run || r.Kind == record.Resumed {
			if err := e.commitIn(r); err != nil {
				return err
			}
		}
		switch {
		case r.Kind == record.Resumed:
			e.takeUp(e.root)
		case !r.Unit.IsZero() && r.Kind != record.Warned:
			e.fold(e.node(r.Unit), &r)
		}
	}
	fact, err := e.resumption()
	if err != nil {
		return err
	}
	fact.Seq = e.seq + 1
	if err := e.plan.Take(fact); err != nil { // before it is written: what From names may not be there
		return unknownUnit(err)
	}
	e.seq++
	if err := e.journal.Append(&fact); err != nil {
		return err
	}
	e.takeUp(e.root)
	e.live = true
	return nil
}

const journalName = "journal.jsonl"

func unknownUnit(err error) error {
	return &steps.Error{Kind: steps.KindInvalidInput, Message: errors.Unwrap(err).Error(), Hint: "flow show --output json lists its units", Err: err}
}

// resumption is the record with which a run is gone on with.
func (e *engine) resumption() (fact record.Record, err error) {
	options, err := json.Marshal(e.recorded())
	if err != nil {
		return fact, err
	}
	data, err := json.Marshal(record.Resumption{Options: options, Commit: e.commit(e.top)})
	if err != nil {
		return fact, err
	}
	return record.Record{Kind: record.Resumed, Parallel: e.MaxParallel, From: e.Resume.From, Data: record.Inline(data)}, nil
}

// warnOfCommit warns where the workspace is at another commit than when a process last
// worked in the run: what had been read of it is not compared.
func (e *engine) warnOfCommit() {
	now := e.commit(e.top)
	if before := e.lastCommit; e.Resume != nil && before != "" && now != before {
		if now == "" {
			now = "none"
		}
		message := fmt.Sprintf("the workspace is at commit %.12s, and was at %.12s when somebody last began to work in the run: what the run has read of it may be other now", now, before)
		e.emit(Event{}, steps.Event{Type: steps.Warning, Message: message})
	}
}

// commitIn is the commit that a record says the workspace was at.
func (e *engine) commitIn(r record.Record) error {
	data, err := e.journal.Data(r)
	if err != nil {
		return err
	}
	var at struct {
		Commit string `json:"commit"`
	}
	if err := json.Unmarshal(data, &at); err != nil {
		return fmt.Errorf("record %d: %w", r.Seq, err)
	}
	e.lastCommit = at.Commit
	return nil
}

// warnOfSecrets warns where a result that is kept may lack a secret.
func (e *engine) warnOfSecrets(n *node) {
	if e.Mask == nil || !hidden(n.result) || n.site == nil {
		return
	}
	e.workers.Go(func() { n.site.warn("its result is kept, with *** where it may have had a secret") })
}
