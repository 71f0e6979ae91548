package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// lackSecrets returns the units in flight that start over, because a secret is hidden in their work
// or conversation that can't be put back. It is an error if one of them may have had an effect.
func (e *engine) lackSecrets(n *node) (units []journal.Unit, err error) {
	if n.over.is() || among(e.Resume.From, n.unit) {
		return nil, nil
	}
	hidden, writes, err := e.hiddenIn(n)
	if err == nil && hidden != nil && writes {
		err = lacksSecret(n.unit, hidden)
	}
	if err != nil || hidden != nil {
		return []journal.Unit{n.unit}, err
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

// hiddenIn returns the data in which secrets of a unit are hidden; nil: in none. A command or a
// call runs again, and is rendered again. writes says that the unit may have had an effect: a list
// of elements and a used workflow may, and a conversation with a call of a tool that writes.
func (e *engine) hiddenIn(n *node) (hidden []byte, writes bool, err error) {
	var offsets []int64
	switch {
	case n.step == nil:
	case n.elements != nil:
		offsets = []int64{n.elements.record}
	case n.work != 0 && (n.step.Use != nil || n.step.Agent != nil):
		offsets = append([]int64{n.work}, n.facts...)
	}
	writes = n.elements != nil || n.step != nil && n.step.Agent == nil
	for _, at := range offsets {
		r, data, err := e.recordAt(at)
		if err != nil {
			return nil, false, err
		}
		var in struct {
			Given  json.RawMessage // of a work: variables, which are evaluated again
			Writes bool            // of a call
		}
		if r.Kind == journal.Began || r.Kind == journal.Called {
			if err := json.Unmarshal(data, &in); err != nil {
				return nil, false, fmt.Errorf("record %d: %w", r.Seq, err)
			}
		}
		writes = writes || in.Writes
		if data = bytes.Replace(data, in.Given, nil, 1); journal.Hidden(data) {
			hidden = append(hidden, data...)
		}
	}
	return hidden, writes, nil
}

// lacksSecret returns the error for a unit that can neither continue nor start over.
func lacksSecret(u journal.Unit, data []byte) error {
	what := "what looks like a secret, which is not stored in the run folder"
	if names := journal.HiddenNames(data); len(names) > 0 {
		what = "the value of " + strings.Join(names, " and ") + ", which has changed"
	}
	return &steps.Error{
		Kind: steps.KindInvalidInput, Message: fmt.Sprintf("%s can't continue: its conversation contains %s; it is not restarted, because it may have taken effect", u, what),
		Hint: "set the variable to its earlier value", Option: OptionFrom, Err: errors.New("a secret is not stored in the run folder"),
	}
}
