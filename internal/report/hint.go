package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// waysOut is the hint for calls that were denied because nobody could be asked.
const waysOut = "calls whose rule is ask were denied, for nobody is there to be asked: allow them by a rule, run on a terminal, or give --on-ask allow, or wait to be asked later"

// Hint adds to a hint the flag of the option that would help.
func Hint(hint, option string) string {
	flag := ""
	switch option {
	case runner.OptionDir:
		flag = "name another folder with --run-dir"
	case runner.OptionWorkspace:
		flag = "name another folder with --workspace"
	case runner.OptionModel:
		flag = "with --model"
	case runner.OptionBudgetUSD:
		flag = "--budget-usd"
	case runner.OptionFrom:
		flag = "begin it again with flow resume --from UNIT"
	case runner.OptionUnits:
		flag = "flow show --output json lists its units"
	case runner.OptionOnce:
		flag = "look whether it took effect"
	}
	if hint == "" || flag == "" {
		return hint + flag
	}
	return hint + ", or " + flag
}

// goesOn is the hint that resumes a run that did not succeed. Again says that it was resumed
// before.
func goesOn(run string, failure *runner.Failure, again bool) string {
	run = term.Visible(run)
	switch {
	case failure != nil && (failure.Option == runner.OptionFrom || failure.Option == runner.OptionOnce) && !failure.Unit.IsZero():
		return fmt.Sprintf("flow resume %s --from '%s' begins it again", run, failure.Unit)
	case failure != nil && failure.Kind == steps.KindContextLength:
		return fmt.Sprintf("limit(TEXT, BYTES) shortens a value in a prompt; then: flow resume %s --changed", run)
	case failure != nil && slices.Contains(needChange, failure.Kind):
		return fmt.Sprintf("once that is fixed: flow resume %s, with --changed if the workflow was changed", run)
	case again:
		return fmt.Sprintf("flow resume %s goes on with it; what succeeded is kept, unless --from UNIT names it", run)
	}
	return fmt.Sprintf("flow resume %s goes on with it", run)
}

// needChange has the kinds of failures that happen again as long as nothing changes.
var needChange = []steps.Kind{steps.KindConfiguration, steps.KindInvalidWorkflow, steps.KindInvalidInput}

// namesUnit reports whether goesOn names the unit that has to run again.
func namesUnit(f *runner.Failure) bool {
	return (f.Option == runner.OptionFrom || f.Option == runner.OptionOnce) && !f.Unit.IsZero()
}

// Hinted is an error whose hint names flags, and the unit whose data is lost.
func Hinted(e *steps.Error) *steps.Error {
	if e == nil || e.Option == "" {
		return e
	}
	worded := *e
	worded.Hint, worded.Option = Hint(e.Hint, e.Option), ""
	if lost := runner.LostUnit(e); e.Option == runner.OptionFrom && !lost.IsZero() {
		worded.Hint = strings.Replace(worded.Hint, "UNIT", InShell(lost.String()), 1)
	}
	return &worded
}

// DoesAgain is the hint that runs the failed units of a successful run again. If there is only
// one, the hint names it.
func DoesAgain(run string, r *runner.Result, short []view.Shortfall) string {
	which := "--failed"
	if units := view.FailedUnits(r, short); len(units) == 1 {
		which = "--from " + InShell(units[0])
	}
	return "flow resume " + InShell(run) + " " + which + " runs again what did not succeed"
}

// HintOf is the hint of an error, "" if it has none.
func HintOf(err error) string {
	var hinted interface{ Hint() string }
	var failed *steps.Error
	switch {
	case errors.As(err, &hinted):
		return hinted.Hint()
	case errors.As(err, &failed):
		return Hinted(failed).Hint
	}
	return ""
}

// Message is a message of one or several lines under flow's name, and a hint under it.
func Message(message, hint string) string {
	var b strings.Builder
	head := "flow: "
	for line := range strings.SplitSeq(strings.TrimRight(message, "\n"), "\n") {
		fmt.Fprintf(&b, "%s%s\n", head, term.Visible(line))
		head = "      "
	}
	if hint != "" {
		fmt.Fprintf(&b, "hint: %s\n", term.Visible(hint))
	}
	return b.String()
}
