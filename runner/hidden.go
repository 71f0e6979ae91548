package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// lackSecrets returns the units in flight that can't continue, because a secret is hidden in
// their work that can't be put back. They start over, which is possible if they have only
// read; if they have not, that is an error.
func (e *engine) lackSecrets(n *node) (units []journal.Unit, err error) {
	if n.over.is() || among(e.Resume.From, n.unit) {
		return nil, nil
	}
	hidden, writes, err := e.hiddenIn(n)
	switch {
	case err != nil:
		return nil, err
	case hidden != nil && writes:
		return nil, notHad(n.unit, hidden)
	case hidden != nil:
		return []journal.Unit{n.unit}, nil
	}
	for inner := range n.within() {
		more, err := e.lackSecrets(inner)
		if err != nil {
			return nil, err
		}
		units = append(units, more...)
	}
	return units, nil
}

// hiddenIn returns the data of a unit in which a secret is hidden, or nil. A command or a call
// is never returned: it runs again, and is rendered again. writes reports whether the unit
// can't start over without repeating what may have had an effect.
func (e *engine) hiddenIn(n *node) (hidden []byte, writes bool, err error) {
	var offsets []int64
	switch {
	case n.step == nil:
		return nil, false, nil
	case n.elements != nil:
		offsets = []int64{n.elements.record}
	case n.step.Use != nil && n.work != 0:
		offsets = []int64{n.work}
	case n.step.Agent != nil && n.work != 0:
		offsets = append([]int64{n.work}, n.facts...)
	}
	writes = n.step.Agent == nil
	for _, at := range offsets {
		r, data, err := e.recordAt(at)
		if err != nil {
			return nil, false, err
		}
		if r.Kind == journal.Began {
			data, err = withoutGiven(data)
		}
		if err == nil && r.Kind == journal.Called {
			var call steps.Intent
			err = json.Unmarshal(data, &call)
			writes = writes || call.Writes
		}
		if err != nil {
			return nil, false, fmt.Errorf("record %d: %w", r.Seq, err)
		}
		if journal.Hidden(data) {
			hidden = append(hidden, data...)
		}
	}
	return hidden, writes, nil
}

// withoutGiven returns a work without the variables to which the file gives values, since
// these are evaluated again.
func withoutGiven(work []byte) ([]byte, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(work, &all); err != nil {
		return nil, err
	}
	delete(all, "given")
	var rest []byte
	for _, member := range all {
		rest = append(rest, member...)
	}
	return rest, nil
}

// notHad returns the error for a unit that can neither continue nor start over.
func notHad(u journal.Unit, data []byte) error {
	return &steps.Error{
		Kind: steps.KindInvalidInput, Message: fmt.Sprintf("%s can't continue: %s; it is not restarted, because it may have taken effect", u, whatIsHidden(data)),
		Hint: "set the variable to its earlier value", Option: OptionFrom, Err: errors.New("a secret is not stored in the run folder"),
	}
}

// whatIsHidden says which secret is missing.
func whatIsHidden(data []byte) string {
	if names := journal.HiddenNames(data); len(names) > 0 {
		return "its conversation contains the value of " + strings.Join(names, " and ") + ", which has changed"
	}
	return "its conversation contains what looks like a secret, which is not stored in the run folder"
}

// warnOf emits a warning about a unit, which may not be working.
func (e *engine) warnOf(u journal.Unit, message string) {
	of := whereIs(u)
	e.emit(&Event{Unit: of.unit, Step: of.path, Index: of.index, Round: of.round, Place: of.place, Event: warning(message)})
}
