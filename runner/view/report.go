package view

import (
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A Report is what a run came to, as its folder has it.
type Report struct {
	*runner.Result
	Steps []*StepReport // in the file's order
}

// A StepReport is what a step came to, all of its elements together.
type StepReport struct {
	*runner.StepResult
	Counts Counts

	// Troubled are the elements of a foreach that did not end well, or were denied
	// a call. Of those that were cancelled is only told how many there are, by
	// reason.
	Troubled  []*runner.ElementResult
	Cancelled map[string]int

	Of      int // how many elements are known; 0 of a step without a foreach
	Failed  int // of them: all that did not succeed
	Reasons Reasons
}

// NewReport returns the report of a result that was read. The results of elements
// are read now: the error is for those that can't be.
func NewReport(r *runner.Result) (*Report, error) {
	report := &Report{Result: r}
	for _, step := range r.Steps {
		s := &StepReport{StepResult: step, Counts: CountsOf(step), Cancelled: map[string]int{}}
		if err := s.readElements(); err != nil {
			return nil, fmt.Errorf("step %q: %w", step.Path(), err)
		}
		report.Steps = append(report.Steps, s)
	}
	return report, nil
}

func (s *StepReport) readElements() error {
	for element, err := range s.Elements() {
		if err != nil {
			return err
		}
		s.Of++
		if element.Status != steps.Succeeded && element.Status != steps.Skipped {
			s.Failed++
			s.Reasons = s.Reasons.add(element.Status, element.Error)
		}
		cancelled := element.Status == steps.Cancelled
		if cancelled && element.Error != nil {
			s.Cancelled[element.Error.Message]++
		}
		if len(element.Denied) > 0 || element.Error != nil && !cancelled {
			s.Troubled = append(s.Troubled, lean(element))
		}
	}
	return nil
}

// lean is the element without what it said, of which there may be much.
func lean(e *runner.ElementResult) *runner.ElementResult {
	l := &runner.ElementResult{Index: e.Index, Item: e.Item, Label: e.Label}
	l.Status, l.StopReason, l.Error, l.Denied = e.Status, e.StopReason, e.Error, e.Denied
	return l
}

// CutOff reports whether the run was killed, or still runs.
func (r *Report) CutOff() bool {
	return r.Finished.IsZero() && r.Error != nil && r.Error.Kind == steps.KindInternal
}

// Outcome is the status of the run and, where it succeeded although elements did
// not, those.
func (r *Report) Outcome() string {
	var short []Shortfall
	for _, s := range r.Steps {
		if s.Failed > 0 {
			short = append(short, Shortfall{Step: s.Path(), Failed: s.Failed, Of: s.Of, Reasons: s.Reasons})
		}
	}
	return Outcome(r.Status, short)
}

// Denied is a denied call on one line, with the rule that denied it.
func Denied(d steps.Denial) string { return Call(d.Tool, d.Input) + because(d.Rule, "") }

// TruncatedLine says how many outputs were truncated, and where the whole of them
// is, as far as it was kept: in folder. It is "" where none were.
func TruncatedLine(results runner.StepResults, folder string) string {
	truncated, lost := 0, 0
	for _, step := range results {
		if !strings.Contains(step.Path(), "/") { // what is inside is counted in it
			truncated += step.Truncated
			lost += step.Lost
		}
	}
	line := tools.Count(truncated, "output") + " truncated; "
	switch {
	case truncated == 0:
		return ""
	case lost == 0:
		return line + "the whole of each is in " + folder
	case lost == truncated:
		return line + "what was left out is lost"
	}
	return line + fmt.Sprintf("what was left out of %d is lost, the whole of the others is in %s", lost, folder)
}
