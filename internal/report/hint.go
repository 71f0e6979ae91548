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
const waysOut = "calls with an ask rule were denied because there is no terminal to ask on: allow them with a rule, run on a terminal, or use --on-ask allow or --on-ask wait"

// Hint adds to a hint the flag of the option that would help.
func Hint(hint, option string) string {
	flag := ""
	switch option {
	case runner.OptionDir:
		flag = "choose another folder with --run-dir"
	case runner.OptionWorkspace:
		flag = "choose another folder with --workspace"
	case runner.OptionModel:
		flag = "with --model"
	case runner.OptionBudgetUSD:
		flag = "--budget-usd"
	case runner.OptionFrom:
		flag = "rerun it with flow resume --from UNIT"
	case runner.OptionUnits:
		flag = "to list the units: flow show --output json"
	case runner.OptionOnce:
		flag = "check whether it took effect"
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
		return fmt.Sprintf("to run it again: flow resume %s --from '%s'", run, failure.Unit)
	case failure != nil && failure.Kind == steps.KindContextLength:
		return fmt.Sprintf("to continue: shorten the prompt with limit(TEXT, BYTES), then flow resume %s --changed", run)
	case failure != nil && (slices.Contains(needChange, failure.Kind) || failure.Kind == steps.KindProvider && failure.Hint != ""):
		return fmt.Sprintf("to continue after the fix: flow resume %s (with --changed if the workflow has changed)", run)
	case again:
		return fmt.Sprintf("to continue: flow resume %s (what succeeded is kept, unless --from UNIT names it)", run)
	}
	return fmt.Sprintf("to continue: flow resume %s", run)
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
	return "to rerun what failed: flow resume " + InShell(run) + " " + which
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
