package suite

import (
	"fmt"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An Outcome is the outcome of one case.
type Outcome struct {
	File, Name string
	Pos        workflows.Position
	Took       time.Duration
	Skipped    bool
	Result     *runner.Result // nil where nothing ran
	Dir        string         // with the folders workspace and run; "" where nothing is kept
	Bare       bool           // Dir has no workspace: a recipe's setup made it, whose settings of git would run programs
	Failures   []Failure
	Written    []string // the golden files that an update has written

	mask *tools.Mask // of the workflow's secrets
}

// Passed reports whether all expectations were met.
func (o *Outcome) Passed() bool { return len(o.Failures) == 0 && !o.Skipped }

// fail adds a failure without secrets.
func (o *Outcome) fail(f Failure) {
	f.What, f.Diff = o.mask.String(f.What), o.mask.String(f.Diff)
	for i, note := range f.Notes {
		f.Notes[i] = o.mask.String(note)
	}
	o.Failures = append(o.Failures, f)
}

// A Failure is one expectation that was not met.
type Failure struct {
	Pos   workflows.Position // of the expectation; the zero Position: there is none
	What  string             // in one line: "status is failed; expected succeeded"
	Notes []string           // what explains it, a line each
	Diff  string             // lines that begin with -, + or a space; "" where there is none
}

// Text is the failure for a person. Its first line has the position, if there is one.
func (f Failure) Text() string {
	var b strings.Builder
	if f.Pos != (workflows.Position{}) {
		fmt.Fprintf(&b, "%s: ", f.Pos)
	}
	fmt.Fprintln(&b, f.What)
	for _, note := range f.Notes {
		fmt.Fprintf(&b, "    %s\n", note)
	}
	for line := range strings.Lines(f.Diff) {
		fmt.Fprintf(&b, "    %s\n", strings.TrimSuffix(line, "\n"))
	}
	return b.String()
}
