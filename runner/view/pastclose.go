package view

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// close reads the data that is shown, once all records are known.
func (f *pastFold) close() (err error) {
	f.Began, f.Last, f.worked = f.run.Began, f.run.Last, f.run.Worked
	f.Counts = countsOf(f.run.Top.Counts)
	if f.Start, err = f.from.Start(f.run.Start); err != nil {
		return err
	}
	result, err := runner.ResultOf(f.from, &f.run, f.Start)
	if err != nil {
		return err
	}
	f.Result, f.Waits = *result, result.Waiting
	switch {
	case f.run.End != nil:
		f.State, f.Unpriced = State(f.run.End.Status), result.Unpriced
	case f.Broken != nil: // nobody knows what comes after the damage
	case result.Running:
		f.State = Running
	default:
		f.State = CutOff
	}
	if err := f.closeSteps(); err != nil {
		return err
	}
	f.closeShort()
	f.Past.Denials = f.denials.lines(f.Denied, f.run.Process)
	if f.run.End != nil {
		return nil
	}
	f.Result.Error, f.Result.Duration = nil, 0
	for u := range f.run.Top.All(true) {
		if u.IsOpen() {
			f.spender(u, f.Last)
		}
	}
	if f.State == Running {
		return f.closeNow()
	}
	return nil
}

// failed returns the units that did not succeed, in the order in which they ended.
func (f *pastFold) failed() (failed []*history.Unit) {
	for u := range f.run.Top.All(true) {
		if u.Ended != 0 && !u.Good() {
			failed = append(failed, u)
		}
	}
	slices.SortFunc(failed, func(a, b *history.Unit) int { return cmp.Compare(a.Ended, b.Ended) })
	return failed
}

// trouble reads why a unit failed.
func (f *pastFold) trouble(u *history.Unit) (*Trouble, error) {
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
		t.Error = steps.Error{Kind: steps.Kind(u.Reason), Message: string(u.Status)}
	}
	return t, err
}

// closeSteps collects the results of the steps, and what failed first.
func (f *pastFold) closeSteps() (err error) {
	failed := f.failed()
	if i := slices.IndexFunc(failed, func(u *history.Unit) bool { return u.Status != journal.Cancelled }); i >= 0 {
		if f.First, err = f.trouble(failed[i]); err != nil {
			return err
		}
	}
	troubles, err := f.troubles(failed)
	if err != nil {
		return err
	}
	agents, units := map[string]string{}, map[string]*history.Unit{}
	for _, step := range f.Start.Steps {
		agents[step.Path] = step.Agent
	}
	for u := range f.run.Top.All(false) {
		units[u.Unit.Path()] = u
	}
	tolerated := f.Result.Steps.Tolerated()
	for i, result := range f.Result.Steps {
		path := result.Path()
		u := units[path]
		if u.Began.IsZero() && u.Ended == 0 && !u.Anew {
			continue
		}
		step := &PastStep{Path: path, Agent: agents[path], Status: result.Status, Counts: countsOf(u.Counts)}
		if u.Ended != 0 {
			step.Result, step.Counts = result, CountsOf(result)
			step.Continued = tolerated[i] && (result.Status == steps.Failed || result.Status == steps.Stopped)
			f.closeStep(result)
		}
		if u.HasElements() {
			step.Elements = f.elements(u)
		}
		if told := troubles[path]; told != nil {
			step.Troubles, step.Untold = told.list, told.more
		}
		f.Steps = append(f.Steps, step)
	}
	return nil
}

// closeStep adds what only the result of a step says.
func (f *pastFold) closeStep(r *runner.StepResult) {
	if !strings.Contains(r.Path(), "/") { // it counts what is inside it, too
		f.Cached, f.SavedUSD = f.Cached+r.Cached, f.SavedUSD+r.SavedUSD
	}
	if r.Kind == workflows.KindTool { // which is one call
		for _, d := range r.Denied {
			f.Counts.Denied++
			f.refuse(r.Path(), r.Path(), d, "")
		}
	}
}

// elements returns how far a foreach is.
func (f *pastFold) elements(u *history.Unit) *Elements {
	n := &Elements{Of: max(u.Count-len(u.LeftOut), 0), began: u.Began}
	for _, e := range u.Elements {
		if e.Ended != 0 {
			n.Ended++
		}
	}
	for _, e := range u.Open {
		switch {
		case e.Ended != 0 && !e.Good():
			n.Failed++
			n.Reasons = n.Reasons.add(steps.Status(e.Status), &steps.Error{Kind: steps.Kind(e.Reason)})
		case e.IsOpen() && e.Process == f.run.Process:
			n.Running++
		}
	}
	return n
}

// troubled has the failures of a foreach's elements.
type troubled struct {
	list []Trouble
	more int // failures that are not listed
}

// The bounds of what is shown of elements.
const (
	maxTroubles = 10  // with different words
	maxAlso     = 4   // elements with the same words
	maxRead     = 500 // elements whose data is read
)

// troubles reads why elements failed, and steps inside elements that succeeded, by the path of
// the step outside of elements to which they belong. Cancelled ones are left out.
func (f *pastFold) troubles(failed []*history.Unit) (map[string]*troubled, error) {
	all, read := map[string]*troubled{}, 0
	for _, u := range failed {
		if _, element := u.Unit.Element(); (!element || !u.Around.HasElements()) && !isForgiven(u) {
			continue
		}
		path, _, _ := strings.Cut(nameOf(u.Unit), "[")
		of := all[path]
		if of == nil {
			of = &troubled{}
			all[path] = of
		}
		if read == maxRead {
			of.more++
			continue
		}
		read++
		t, err := f.trouble(u)
		if err != nil {
			return nil, err
		}
		of.add(*t)
	}
	return all, nil
}

// add adds a failure to those with the same words.
func (of *troubled) add(t Trouble) {
	for i := range of.list {
		if same := &of.list[i]; same.Kind == t.Kind && same.Message == t.Message {
			if same.Times++; len(same.Also) < maxAlso {
				same.Also = append(same.Also, t.Unit)
			}
			return
		}
	}
	if len(of.list) == maxTroubles {
		of.more++
		return
	}
	of.list = append(of.list, t)
}

// closeShort counts the elements that did not succeed, by the paths of their steps, and steps
// that did not.
func (f *pastFold) closeShort() {
	f.Short = byStep(func(yield func(Shortfall) bool) {
		for u := range f.run.Top.All(true) {
			if s := f.shortfall(u); s.Failed > 0 && !yield(s) {
				return
			}
		}
	})
	f.Short = append(f.Short, alone(f.Result.Steps)...)
}

// shortfall counts the failures of a foreach, or of a step in an element that succeeded
// nevertheless. For a foreach that has ended, elements that never began count, too.
func (f *pastFold) shortfall(u *history.Unit) Shortfall {
	s := Shortfall{Step: u.Unit.Path()}
	if !u.HasElements() {
		if isForgiven(u) {
			s.Failed, s.Reasons = 1, Reasons{u.Reason: 1}
		}
		return s
	}
	n := f.elements(u)
	s.Failed, s.Of, s.Reasons = n.Failed, n.Of, maps.Clone(n.Reasons)
	if never := n.Of - n.Ended; u.Ended != 0 && never > 0 {
		s.Failed += never
		s.Reasons = s.Reasons.plus(string(steps.Cancelled), never)
	}
	return s
}

// isForgiven reports whether a step in an element, which has no elements itself, did not succeed
// although everything around it in the element did.
func isForgiven(u *history.Unit) bool {
	if _, isElement := u.Unit.Element(); isElement || !u.Part || u.HasElements() || u.Ended == 0 || u.Good() {
		return false
	}
	for around := u.Around; around.Part; around = around.Around {
		if !around.Good() && !around.HasElements() {
			return false
		}
	}
	return true
}

// closeNow lists what runs: steps first, then what is inside a foreach.
func (f *pastFold) closeNow() error {
	kinds := map[string]workflows.Kind{}
	for _, step := range f.Start.Steps {
		kinds[step.Path] = workflows.Kind(step.Kind)
	}
	for u := range f.run.Top.All(true) {
		if !u.IsOpen() || u.Process != f.run.Process && !u.HasElements() {
			continue
		}
		now := &Unit{Place: nameOf(u.Unit), Kind: kinds[u.Unit.Path()], Began: u.Began, Label: u.LabelAround(), Part: u.Part}
		if u.HasElements() {
			now.Elements, now.Counts = f.elements(u), countsOf(u.Counts)
		} else {
			now.Turn, now.Counts = u.Turns, countsOf(u.Own)
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
	slices.SortFunc(f.Now, func(a, b *Unit) int {
		if a.Part != b.Part {
			return map[bool]int{false: -1, true: 1}[a.Part]
		}
		return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.Place, b.Place))
	})
	return nil
}
