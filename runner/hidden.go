package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// lackSecrets returns the units in flight that start over, because a secret is hidden in their work
// or conversation that can't be put back. It is an error if one of them may have had an effect.
func (e *exec) lackSecrets(list []*workflows.Step, of *history.Unit) (units []journal.Unit, err error) {
	for _, step := range list {
		u := child(of, step.Name)
		if u == nil || e.Resume.Changed {
			continue
		}
		more, err := e.lackSecretsIn(step, u)
		if err != nil {
			return nil, err
		}
		units = append(units, more...)
		if u.Foreach == nil {
			continue
		}
		for _, i := range slices.Sorted(maps.Keys(u.Open)) {
			more, err := e.lackSecretsIn(step, u.Open[i])
			if err != nil {
				return nil, err
			}
			units = append(units, more...)
		}
	}
	return units, nil
}

func (e *exec) lackSecretsIn(step *workflows.Step, u *history.Unit) (units []journal.Unit, err error) {
	if u.Ended != 0 && (e.countsAsEnded(u) || !canContinue(u)) || u.First < e.earlier.changed || among(e.Resume.From, u.Unit) {
		return nil, nil
	}
	hidden, writes, err := e.hiddenIn(step, u)
	if err == nil && hidden != nil && writes {
		err = lacksSecret(u.Unit, hidden)
	}
	if err != nil || hidden != nil {
		return []journal.Unit{u.Unit}, err
	}
	return e.lackSecrets(step.Inside(), u)
}

// among reports whether a unit is one of those, or inside one of them, in whatever attempt.
func among(all []journal.Unit, u journal.Unit) bool {
	return slices.ContainsFunc(all, func(one journal.Unit) bool { return one.WithAttempt(0).Contains(u) })
}

// hiddenIn returns the data in which secrets of a unit are hidden; nil: in none. A command or a
// call runs again, and is rendered again. writes says that the unit may have had an effect: a list
// of elements and a used workflow may, and a conversation with a call of a tool that writes.
func (e *exec) hiddenIn(step *workflows.Step, u *history.Unit) (hidden []byte, writes bool, err error) {
	var offsets []int64
	isList := u.HasElements()
	switch {
	case isList:
		offsets = []int64{u.List}
	case u.Work != 0 && (step.Use != nil || step.Agent != nil):
		offsets = append([]int64{u.Work}, u.Facts...)
	}
	writes = isList || step.Agent == nil
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
