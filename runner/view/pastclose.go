package view

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// close reads what is told of the records that are known now to say it.
func (f *pastFold) close() error {
	switch {
	case f.end != nil:
		f.State = State(f.end.Status)
		if err := f.Past.end(f.from, *f.end); err != nil {
			return err
		}
	case f.Broken != nil: // nobody knows what comes behind that
	case f.from.Busy():
		f.State = Running
	default:
		f.State = CutOff
	}
	f.Again = f.process > 0 && f.State != Waiting
	var err error
	if f.First, err = f.first(); err != nil {
		return err
	}
	if err := f.closeSteps(); err != nil {
		return err
	}
	if err = f.closeWaits(); err != nil {
		return err
	}
	f.closeShort()
	f.Past.Denials = f.denials.lines(f.Denied)
	if f.end != nil {
		return nil
	}
	for name, o := range f.open {
		f.spender(Spender{Unit: name, Label: f.labelAt(name), Took: f.Last.Sub(o.began), Counts: o.Counts})
	}
	if f.State == Running {
		return f.closeNow()
	}
	return nil
}

// closeWaits reads what the run waits for: nothing of the steps around that is cut
// off.
func (f *pastFold) closeWaits() (err error) {
	f.Waits, err = f.waits.All(f.from, f.Start.Steps)
	for _, w := range f.Waits {
		path := w.Unit.Path()
		for _, step := range f.Steps {
			if step.Status == "" && (step.Path == path || strings.HasPrefix(path, step.Path+"/")) {
				step.Status = steps.Waiting
			}
		}
	}
	return err
}

// first is what failed first.
func (f *pastFold) first() (*Trouble, error) {
	var first *failure
	for _, failed := range f.failed {
		if failed.status != record.Cancelled && (first == nil || failed.seq < first.seq) {
			first = failed
		}
	}
	if first == nil {
		return nil, nil
	}
	t, err := f.trouble(first)
	return &t, err
}

// trouble reads why a unit failed.
func (f *pastFold) trouble(of *failure) (t Trouble, err error) {
	r, result, err := f.resultAt(of.at)
	if err != nil {
		return t, err
	}
	t = Trouble{Unit: of.unit, Label: of.label, Time: of.time, Times: 1}
	if result.Error != nil {
		t.Error = *result.Error
	} else {
		t.Error = steps.Error{Kind: steps.Kind(r.Reason), Message: string(r.Status)}
	}
	if t.Label == "" {
		var labelled struct {
			Label string `json:"label"`
		}
		err = f.from.Decode(r, &labelled)
		t.Label = labelled.Label
	}
	return t, err
}

func (f *pastFold) resultAt(place int64) (record.Record, *runner.StepResult, error) {
	r, err := f.from.At(place)
	if err != nil {
		return r, nil, err
	}
	data, err := f.from.Data(r)
	if err == nil && data == nil {
		err = errors.New("a result without data")
	}
	if err != nil {
		return r, nil, err
	}
	result := &runner.StepResult{}
	return r, result, result.UnmarshalJSON(data)
}

// closeSteps puts together what the steps came to.
func (f *pastFold) closeSteps() error {
	order, agents := make(map[string]int, len(f.Start.Steps)), map[string]string{}
	for i, step := range f.Start.Steps {
		agents[step.Path] = step.Agent
		order[step.Path] = i + 1
	}
	paths := slices.SortedFunc(maps.Keys(f.steps), func(a, b string) int {
		return cmp.Or(cmp.Compare(order[a], order[b]), strings.Compare(a, b))
	})
	troubles, err := f.troubles()
	if err != nil {
		return err
	}
	for _, path := range paths {
		past := f.steps[path]
		step := &PastStep{Path: path, Agent: agents[path], Counts: past.Counts}
		if past.ended != 0 {
			_, result, err := f.resultAt(past.ended)
			if err != nil {
				return err
			}
			step.Result, step.Status = result, steps.Status(past.status)
			step.Counts = CountsOf(result)
			if !strings.Contains(path, "/") { // what is inside is counted in it
				f.Cached, f.SavedUSD = f.Cached+result.Cached, f.SavedUSD+result.SavedUSD
			}
			if result.Kind == workflows.KindTool {
				f.refused(path, result.Denied)
			}
		}
		if fan := f.fans[path]; fan != nil {
			step.Elements = &fan.Elements
		}
		if told := troubles[path]; told != nil {
			step.Troubles, step.Untold = told.list, told.more
		}
		f.Steps = append(f.Steps, step)
	}
	return nil
}

// refused takes the denied calls of a step that is one call.
func (f *pastFold) refused(path string, denied []steps.Denial) {
	for _, d := range denied {
		f.Denied++
		f.Unasked = f.Unasked || WasUnasked(d.Rule)
		f.denials = f.denials.add(denial{step: path, place: path, call: Call(d.Tool, d.Input) + because(d.Rule, ""), times: 1})
	}
}

// troubled is what went wrong with elements of a foreach.
type troubled struct {
	list []Trouble
	more int // that are in none of the list
}

// The bounds of what is told of elements.
const (
	mostTroubles = 10  // with different words
	mostAlso     = 4   // elements with the same words
	mostRead     = 500 // elements whose words are looked at
)

// troubles reads why elements failed, by the path of the step outside of elements
// that they are of. Of those that were cancelled nothing more is to be told.
func (f *pastFold) troubles() (map[string]*troubled, error) {
	var failed []*failure
	for name, one := range f.failed {
		if fan, _ := f.fanOf(name); fan != nil {
			failed = append(failed, one)
		}
	}
	slices.SortFunc(failed, func(a, b *failure) int { return cmp.Compare(a.seq, b.seq) })
	all := map[string]*troubled{}
	for i, one := range failed {
		path := one.unit[:strings.IndexByte(one.unit, '[')]
		of := all[path]
		if of == nil {
			of = &troubled{}
			all[path] = of
		}
		if i >= mostRead {
			of.more++
			continue
		}
		t, err := f.trouble(one)
		if err != nil {
			return nil, err
		}
		of.add(t)
	}
	return all, nil
}

// words are the message, whichever element it is about.
func (t *Trouble) words() string {
	if t.Label == "" {
		return t.Message
	}
	return strings.ReplaceAll(t.Message, t.Label, "…")
}

func (of *troubled) add(t Trouble) {
	for i := range of.list {
		if same := &of.list[i]; same.Kind == t.Kind && same.words() == t.words() {
			if same.Times++; len(same.Also) < mostAlso {
				same.Also = append(same.Also, t.Unit)
			}
			return
		}
	}
	if len(of.list) == mostTroubles {
		of.more++
		return
	}
	of.list = append(of.list, t)
}

// closeShort counts the elements that did not succeed, by the paths of their steps. Of a
// foreach that has ended those count, too, that never began.
func (f *pastFold) closeShort() {
	f.Short = byStep(func(yield func(Shortfall) bool) {
		for _, fan := range f.fans {
			s := Shortfall{Step: fan.path, Failed: fan.Failed, Of: fan.Of, Reasons: maps.Clone(fan.Reasons)}
			if never := fan.Of - fan.Ended; fan.ended && never > 0 {
				s.Failed += never
				s.Reasons = s.Reasons.plus(string(steps.Cancelled), never)
			}
			if s.Failed > 0 && !yield(s) {
				return
			}
		}
	})
}

// closeNow lists what runs: steps first, then what is in foreachs.
func (f *pastFold) closeNow() error {
	for name, fan := range f.fans {
		if fan.ended {
			continue
		}
		u := &Unit{Place: name, Kind: f.kinds[fan.path], Began: fan.began, Label: f.labelAt(name), Elements: &fan.Elements}
		if step := f.steps[name]; step != nil {
			u.Counts = step.Counts
		}
		f.Now = append(f.Now, u)
	}
	for name, o := range f.open {
		if o.process != f.process {
			continue
		}
		if fan, _ := f.fanOf(name); fan != nil {
			fan.Running++
		}
		u := &Unit{Place: name, Kind: f.kinds[o.unit.Path()], Began: o.began, Label: f.labelAt(name), Turn: o.turns, Part: strings.Contains(name, "["), Counts: o.Counts}
		if o.call != 0 {
			r, err := f.from.At(o.call)
			if err != nil {
				return err
			}
			var call steps.Intent
			if err := f.from.Decode(r, &call); err != nil {
				return err
			}
			u.last = &steps.Event{Type: steps.CallRunning, Tool: call.Tool, Input: call.Arguments}
		}
		f.Now = append(f.Now, u)
	}
	slices.SortFunc(f.Now, func(a, b *Unit) int {
		if a.Part != b.Part {
			return map[bool]int{false: -1, true: 1}[a.Part]
		}
		return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.Place, b.Place))
	})
	return nil
}
