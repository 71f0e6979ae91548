package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// unit returns what the heads of its records say of a unit.
func (f *reading) unit(u *history.Unit) *Unit {
	step := f.steps[u.Unit.Path()]
	is := &Unit{
		Place: nameOf(u.Unit), Label: u.LabelAround(), Kind: workflows.Kind(step.Kind), Agent: step.Agent, Part: u.Part,
		Began: u.Began, Turn: u.Turns, Counts: u.Counts(),
	}
	if u.Ended != 0 {
		is.Status, is.Reason, is.Continued = u.Status, string(u.ErrorKind), u.IsContinued()
	}
	if u.HasElements() {
		is.Elements = f.elements(u)
	}
	return is
}

// elements returns how far a foreach is.
func (f *reading) elements(u *history.Unit) *Elements {
	n := &Elements{Of: max(u.Count-len(u.LeftOut), 0), began: u.Began}
	for _, index := range u.Indexes() {
		if ended, _, _ := u.RecordsOf(index); ended != 0 {
			n.Ended++
		}
	}
	for _, e := range u.Open {
		switch {
		case e.Ended != 0 && !e.Good():
			n.fail(cmp.Or(e.ErrorKind, steps.Kind(e.Status)))
		case e.IsOpen() && e.Process == f.run.Process:
			n.Running++
		}
	}
	return n
}

// readSteps collects the steps with their results, and the failures in them.
func (f *reading) readSteps() error {
	f.steps = map[string]journal.Step{}
	for _, step := range f.Start.Steps {
		f.steps[step.Path] = step
	}
	units := map[string]*history.Unit{} // outside of elements
	for u := range f.run.Top.All(false) {
		units[u.Unit.Path()] = u
	}
	shown := map[string]*Unit{}
	tolerated := f.Result.Steps.Tolerated()
	for i, result := range f.Result.Steps {
		u := units[result.Path()]
		if u.Began.IsZero() && u.Ended == 0 && !u.Anew {
			continue
		}
		step := f.unit(u)
		step.Status, step.Continued = result.Status, false
		if u.Ended != 0 {
			step.Result, step.Counts = result, result.Numbers()
			step.Continued = tolerated[i] && (result.Status == steps.Failed || result.Status == steps.Stopped)
		}
		f.Steps, shown[step.Place] = append(f.Steps, step), step
	}
	return f.readTroubles(shown)
}

// The bounds of what is shown of elements.
const (
	maxTroubles = 10  // with different words
	maxAlso     = 4   // elements with the same words
	maxRead     = 500 // failures whose data is read
)

// readTroubles reads what failed first, and why elements failed, and steps inside elements that
// succeeded, for the steps outside of elements to which they belong.
func (f *reading) readTroubles(of map[string]*Unit) error {
	var failed []*history.Unit
	for u := range f.run.Top.All(true) {
		if caller := u.Caller(); u.Ended != 0 && !u.Good() && (caller == nil || !caller.Good()) { // else its model was told
			failed = append(failed, u)
		}
	}
	slices.SortFunc(failed, func(a, b *history.Unit) int { return cmp.Compare(a.Ended, b.Ended) })
	read := 0
	for _, u := range failed {
		path, _, _ := strings.Cut(nameOf(u.Unit), "[")
		first, told := f.Failed == nil && u.Status != steps.Cancelled, of[path] != nil && isTold(u)
		switch {
		case !first && !told:
			continue
		case !first && read == maxRead:
			of[path].Untold++
			continue
		}
		read++
		t, err := f.trouble(u)
		if err != nil {
			return err
		}
		if first {
			f.Failed = t
		}
		if told {
			of[path].tell(*t)
		}
	}
	return nil
}

// trouble reads why a unit failed.
func (f *reading) trouble(u *history.Unit) (*Trouble, error) {
	_, data, err := f.from.DataAt(u.Ended)
	if err != nil {
		return nil, err
	}
	var e runner.StepResult
	err = jsonline.Decode(data, &e)
	t := &Trouble{Unit: nameOf(u.Unit), Label: cmp.Or(u.LabelAround(), e.Label), Time: u.EndedAt, Times: 1}
	if e.Error != nil {
		t.Error = *e.Error
	} else {
		t.Error = steps.Error{Kind: u.ErrorKind, Message: string(u.Status)}
	}
	return t, err
}

// isTold reports whether the failure of a unit is told with the step around it: it is an element, or a
// step in an element that did not succeed although everything around it in the element did.
func isTold(u *history.Unit) bool {
	if _, isElement := u.Unit.Element(); isElement {
		return u.Around.HasElements()
	}
	if !u.Part || u.HasElements() {
		return false
	}
	for around := u.Around; around.Part; around = around.Around {
		if !around.Good() && !around.HasElements() {
			return false
		}
	}
	return true
}

// tell adds a failure to those with the same words.
func (u *Unit) tell(t Trouble) {
	for i := range u.Troubles {
		if same := &u.Troubles[i]; same.Kind == t.Kind && same.Message == t.Message {
			if same.Times++; len(same.Also) < maxAlso {
				same.Also = append(same.Also, t.Unit)
			}
			return
		}
	}
	if len(u.Troubles) == maxTroubles {
		u.Untold++
		return
	}
	u.Troubles = append(u.Troubles, t)
}

// closeShort counts what did not succeed. Of a foreach that has not ended only its own elements are
// counted.
func (f *reading) closeShort() {
	f.Short = Shortfalls(&f.Result)
	for _, step := range f.Steps {
		if n := step.Elements; n != nil && step.Result == nil && n.Failed > 0 {
			f.Short = append(f.Short, Shortfall{Step: step.Place, Failed: n.Failed, Of: n.Of, Reasons: n.Reasons})
		}
	}
}

// readNow lists what runs.
func (f *reading) readNow() error {
	for u := range f.run.Top.All(true) {
		if f.State != Running || !u.IsOpen() || u.Process != f.run.Process && !u.HasElements() {
			continue
		}
		now := f.unit(u)
		if !u.HasElements() {
			now.Counts = u.Own
		}
		if u.Called != 0 {
			var call steps.CallStarted
			r, err := f.from.At(u.Called)
			if err == nil {
				err = f.from.Decode(r, &call)
			}
			if err != nil {
				return err
			}
			now.last = &steps.Event{Type: steps.CallRunning, Tool: call.Tool, Input: call.Arguments}
		}
		f.Now = append(f.Now, now)
	}
	rank := map[bool]int{true: 1}
	slices.SortFunc(f.Now, func(a, b *Unit) int {
		return cmp.Or(rank[a.Part]-rank[b.Part], a.Began.Compare(b.Began), cmp.Compare(a.Place, b.Place))
	})
	return nil
}
