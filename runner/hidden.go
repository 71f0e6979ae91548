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

// lackSecrets returns the units in flight inside a unit that start over, because a secret is hidden in
// their work or conversation that can't be put back. It is an error if one of them may have had an
// effect.
func (e *exec) lackSecrets(of *history.Unit) (lacking []journal.Address, err error) {
	inner := slices.Collect(maps.Values(of.Steps))
	if of.Foreach != nil {
		inner = slices.AppendSeq(inner, maps.Values(of.Open))
	}
	slices.SortFunc(inner, func(a, b *history.Unit) int { return strings.Compare(a.Unit.String(), b.Unit.String()) })
	for _, u := range inner {
		if u.Ended != 0 && (e.countsAsEnded(u) || !canContinue(u.Status, u.ErrorKind)) || u.BeganSeq < e.records.Changed || among(e.Resume.From, u.Unit) {
			continue
		}
		hidden, writes, err := e.hiddenIn(u)
		switch {
		case err != nil:
			return nil, err
		case hidden != nil && writes:
			return nil, lacksSecret(u.Unit, hidden)
		case hidden != nil:
			lacking = append(lacking, u.Unit)
			continue
		}
		more, err := e.lackSecrets(u)
		if err != nil {
			return nil, err
		}
		lacking = append(lacking, more...)
	}
	return lacking, nil
}

// among reports whether a unit is one of those, or inside one of them, in whatever attempt.
func among(all []journal.Address, u journal.Address) bool {
	return slices.ContainsFunc(all, func(one journal.Address) bool { return one.WithAttempt(0).Contains(u) })
}

// hiddenIn returns the data in which secrets of a unit are hidden; nil: in none. A command or a
// call runs again, and is rendered again. writes says that the unit may have had an effect: a list
// of elements and a used workflow may, and a conversation with a call of a tool that writes.
func (e *exec) hiddenIn(u *history.Unit) (hidden []byte, writes bool, err error) {
	var offsets []int64
	kind := e.store.kindOf(u.Unit.Path())
	switch {
	case u.HasElements():
		offsets, writes = []int64{u.List.At}, true
	case u.Work != 0 && (kind == workflows.KindUses || kind == workflows.KindPrompt):
		offsets, writes = append([]int64{u.Work}, u.Facts...), kind == workflows.KindUses
	}
	for _, at := range offsets {
		r, data, err := e.store.recordAt(at)
		if err != nil {
			return nil, false, err
		}
		var in struct {
			Given  json.RawMessage // of a work: variables, which are evaluated again
			Writes bool            // of a call
		}
		if r.Kind == journal.Began || r.Kind == journal.CallStarted {
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
func lacksSecret(u journal.Address, data []byte) error {
	what := "what looks like a secret, which is not stored in the run folder"
	if names := journal.HiddenNames(data); len(names) > 0 {
		what = "the value of " + strings.Join(names, " and ") + ", which has changed"
	}
	return &steps.Error{
		Kind: steps.KindInvalidInput, Message: fmt.Sprintf("%s can't continue: its conversation contains %s; it is not restarted, because it may have taken effect", u, what),
		Hint: "set the variable to its earlier value", Option: OptionFrom, Err: errors.New("a secret is not stored in the run folder"),
	}
}
