package runner

import (
	"context"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Preview says what a process that resumes a run would do, as far as that is known before it
// does anything: what begins is taken to succeed, and nobody answers what waits.
type Preview struct {
	Version  int             `json:"version"`
	RunID    string          `json:"run_id"`
	Units    []PreviewedUnit `json:"units"`              // that begin or continue, in the order of the file
	Elements map[string]int  `json:"elements,omitempty"` // how many elements each foreach with units has, by its address
	Kept     int             `json:"kept"`               // how many units stay as they ended
	Waiting  []Wait          `json:"waiting,omitempty"`  // what waits for an answer that was not given
	Warnings []string        `json:"warnings,omitempty"`
}

// A PreviewedUnit is a unit that would begin or continue.
type PreviewedUnit struct {
	Unit  journal.Address `json:"unit"` // without attempts
	Kind  workflows.Kind  `json:"kind"`
	Label string          `json:"label,omitempty"` // of the element that the unit is, or is inside of
	Why   Why             `json:"why"`

	ErrorKind steps.Kind `json:"error_kind,omitempty"` // of a unit that failed or was stopped
	Turns     int        `json:"turns,omitempty"`      // after which its conversation continues; 0: it starts over
	DependsOn string     `json:"depends_on,omitempty"` // the path of a step that runs again, for WhyDepends and Unknown
	Changed   []string   `json:"changed,omitempty"`    // what differs in its work, for WhyChanged
	Unknown   string     `json:"unknown,omitempty"`    // the key that can't be evaluated before DependsOn has run, for WhyUnknown
}

// Why is the reason for which a unit would begin or continue.
type Why string

// The reasons.
const (
	WhyFrom     Why = "from"     // Resumption.From names it
	WhyFailed   Why = "failed"   // it failed
	WhyStopped  Why = "stopped"  // it reached a limit
	WhyCutOff   Why = "cut_off"  // it was working when the run was killed or ended
	WhyAnswered Why = "answered" // it waited for an answer, which is there now
	WhyDepends  Why = "depends"  // it depends on a step that runs again
	WhyChanged  Why = "changed"  // its work is another than before
	WhyNew      Why = "new"      // it has not begun
	WhyUnknown  Why = "unknown"  // whether it begins, how often, or with which elements is not known
)

// Preview says what Run would do, for options with Resume. It changes nothing: not even the lock
// of the run is taken. It asks only whom the options name, and only what an earlier process has
// left waiting.
func (l *Linked) Preview(ctx context.Context) (*Preview, error) {
	e := l.in.exec
	if e.Dir == "" || e.Resume == nil {
		return nil, steps.Invalid("", "there is no run to resume")
	}
	if l.ran.Swap(true) {
		return nil, steps.Invalid("link it again", "the workflow was run already")
	}
	e.base, e.cut = context.WithCancelCause(context.WithoutCancel(ctx))
	defer e.cut(nil)
	ctx, e.abort = context.WithCancelCause(ctx)
	defer e.abort(nil)
	var err error
	if e.journal, err = journal.Peek(e.Dir, e.journalOptions()); err != nil {
		return nil, invalidRun(err)
	}
	defer e.close()
	if e.folder, err = readFolder(e.Dir, e.Mask); err != nil {
		return nil, invalidRun(err)
	}
	e.prepareRun()
	d := &dryRun{e: e}
	d.Preview = Preview{Version: 1, RunID: e.ID, Units: []PreviewedUnit{}, Elements: map[string]int{}}
	e.dry, e.Observe = d, d.hear
	if err := d.walk(ctx); err != nil {
		return nil, err
	}
	sortUnits(d.Units, e.store.order)
	return &d.Preview, nil
}

// sortUnits sorts in the order of the file; elements of one foreach one after the other. Whether a group needs
// another round stands behind its rounds.
func sortUnits(all []PreviewedUnit, in order) {
	slices.SortStableFunc(all, func(a, b PreviewedUnit) int {
		switch {
		case a.Unknown == "until" && a.Unit != b.Unit && a.Unit.Contains(b.Unit):
			return 1
		case b.Unknown == "until" && a.Unit != b.Unit && b.Unit.Contains(a.Unit):
			return -1
		}
		return in.compare(a.Unit, b.Unit)
	})
}
