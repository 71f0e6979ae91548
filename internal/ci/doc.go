// Package ci writes what CI systems show of a run: a summary in Markdown,
// annotations of GitHub Actions, JUnit for test reports, and SARIF for findings.
//
// The words of models and files are hostile: Markdown shows them as text, and no line of them
// is a command of the CI system. [Report].Hide hides secrets in all of them.
package ci

import (
	"cmp"
	"fmt"
	"iter"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A Report is the report of a run, which each format writes in its own way.
type Report struct {
	Result *runner.Result
	Shown  func() (string, error) // what flow show prints of the run
	Hide   func(string) string    // hides secrets; nil hides nothing

	Findings []runner.Finding // their files are relative to the repository, with slashes; "" outside of it
	Invalid  []error          // what is wrong with the others
}

// text makes a text safe: secrets are hidden, and characters that act on a terminal or are
// invalid in XML are made visible. Lines stay lines.
func (r *Report) text(s string) string {
	if r.Hide != nil {
		s = r.Hide(s)
	}
	return term.VisibleLines(s)
}

// line is text on one line.
func (r *Report) line(s string) string { return strings.Join(strings.Fields(r.text(s)), " ") }

// A unit is a step, or an element of one, with its name in reports.
type unit struct {
	name      string
	result    *runner.StepResult
	continued bool // its failure, or that of a step around it, counts as success
}

// units returns each unit of the run, in the order of the file, and ends with the first error. The elements
// of a step stand for it, and the steps of a group, or of a used workflow, for that.
func (r *Report) units() iter.Seq2[unit, error] {
	return func(yield func(unit, error) bool) {
		tolerated := r.Result.Steps.Tolerated()
		for i, step := range r.Result.Steps {
			continued, elements := tolerated[i], 0
			for element, err := range step.Elements() {
				if err != nil {
					yield(unit{}, fmt.Errorf("step %q: %w", step.Path(), err))
					return
				}
				elements++
				name := strings.TrimRight(fmt.Sprintf("%s[%d] %s", step.Path(), element.Index, element.Label), " ")
				if !yield(unit{name, &element.StepResult, continued}, nil) {
					return
				}
			}
			if elements > 0 || shownByInner(step, r.Result.Steps[i+1:]) {
				continue
			}
			if !yield(unit{step.Path(), step, continued}, nil) {
				return
			}
		}
	}
}

// shownByInner reports whether the steps in a group, or in a used workflow, say everything about
// it. They are the first ones behind it.
func shownByInner(step *runner.StepResult, behind runner.StepResults) bool {
	group, inside, below := unit{name: step.Path(), result: step}, false, step.Path()+"/"
	for _, s := range behind {
		if !strings.HasPrefix(s.Path(), below) {
			break
		}
		inside = true
		if inner := (unit{name: s.Path(), result: s}); inner.bad() && inner.why() == group.why() {
			return true
		}
	}
	return inside && !group.bad()
}

const maxMessage = 2000 // characters of an error

// bad reports whether the unit itself failed, or was stopped.
func (u unit) bad() bool {
	return u.result.Status == steps.Failed || u.result.Status == steps.Stopped
}

// kind is the kind of the error, by which failures are counted everywhere.
func (u unit) kind() string {
	if e := u.result.Error; e != nil {
		return string(e.Kind)
	}
	return string(u.result.StopReason)
}

// why is the reason of a unit that did not succeed.
func (u unit) why() string {
	if e := u.result.Error; e != nil {
		return e.Message
	}
	return cmp.Or(string(u.result.StopReason), string(u.result.Status))
}
