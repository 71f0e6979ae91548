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

// optionHints name the flag of the program for an option of the library that would help.
var optionHints = map[string]string{
	runner.OptionDir:       "choose another folder with --run-dir",
	runner.OptionWorkspace: "choose another folder with --workspace",
	runner.OptionModel:     "with --model",
	runner.OptionBudgetUSD: "use --budget-usd",
	runner.OptionFrom:      "run the step again: flow resume --from UNIT",
	runner.OptionUnits:     "to list the steps and elements of the run: flow show --output json",
	runner.OptionOnce:      "check whether the step took effect",
	runner.OptionChanged:   "resume with one of:\n--failed --changed  to rerun only what failed\n--changed           to rerun everything whose work differs",
}

// hintAsk is for calls that were denied because nobody could be asked.
const hintAsk = "to let such a call run, allow it with a rule, run flow on a terminal, or use --on-ask allow or --on-ask wait"

// Hint adds to a hint the flag of the option that would help.
func Hint(hint, option string) string {
	flag := optionHints[option]
	if hint == "" || flag == "" {
		return hint + flag
	}
	return hint + ", or " + flag
}

// Hinted is an error whose hint names flags, and the unit whose data is lost.
func Hinted(e *steps.Error) *steps.Error {
	if e == nil || e.Option == "" {
		return e
	}
	worded := *e
	worded.Hint, worded.Option = Hint(e.Hint, e.Option), ""
	if lost := runner.LostUnit(e); e.Option == runner.OptionFrom && !lost.IsZero() {
		worded.Hint = strings.Replace(worded.Hint, "UNIT", ShellQuote(lost.String()), 1)
	}
	return &worded
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

// hintNext says what can be done next about a run that has ended, one command a line; "" for nothing.
func hintNext(run string, r *runner.Result, status steps.Status, short []view.Shortfall) string {
	switch {
	case status == steps.Waiting: // each answer is given by its own command
		return ""
	case status != steps.Succeeded:
		return hintResume(run, r.Error, short)
	case len(short) > 0:
		return HintRerun(run, short)
	}
	return ""
}

// hintResume resumes a run that did not succeed.
func hintResume(run string, failure *runner.Failure, short []view.Shortfall) string {
	resume := "flow resume " + ShellQuote(run)
	switch {
	case failure == nil:
	case needsRerun(failure):
		unit := failure.Unit.String()
		return withChanged(fmt.Sprintf("to run step %q again: %s --from %s", term.Visible(unit), resume, ShellQuote(unit)), run, short)
	case failure.Kind == steps.KindContextLength:
		return "to continue, shorten the prompt with limit(TEXT, BYTES), and then: " + resume + " --changed"
	case view.Raises(failure.Hint): // limits may change before a resume
		return "to continue, " + Hint(failure.Hint, failure.Option) + ", and then: " + resume
	case slices.Contains(permanent, failure.Kind) || failure.Kind == steps.KindProvider && failure.Hint != "":
		return "to continue once the cause is fixed: " + resume + "\nto continue with a changed workflow: " + resume + " --changed"
	}
	return withChanged("to continue: "+resume, run, short)
}

// permanent has the kinds of failures that happen again as long as nothing changes.
var permanent = []steps.Kind{steps.KindConfiguration, steps.KindInvalidWorkflow, steps.KindInvalidInput}

// needsRerun reports whether a unit has to run again before the run can continue.
func needsRerun(f *runner.Failure) bool {
	return f != nil && (f.Option == runner.OptionFrom || f.Option == runner.OptionOnce) && !f.Unit.IsZero()
}

// HintRerun runs again what failed in a successful run. If it is a single step, the hint names it.
func HintRerun(run string, short []view.Shortfall) string {
	which := "--failed"
	if len(short) == 1 && short[0].Unit != "" {
		which = "--from " + ShellQuote(short[0].Unit)
	}
	return withChanged("to rerun what failed: flow resume "+ShellQuote(run)+" "+which, run, short)
}

// withChanged adds to a hint about a run in which elements failed how to continue with changed files:
// with --changed alone, those that succeeded would be paid for again.
func withChanged(hint, run string, short []view.Shortfall) string {
	if !slices.ContainsFunc(short, func(s view.Shortfall) bool { return s.Unit == "" }) {
		return hint
	}
	return hint + "\nto rerun what failed with a changed workflow: flow resume " + ShellQuote(run) + " --failed --changed"
}

// Message is a message of one or several lines under flow's name, and a hint under it.
func Message(message, hint string) string {
	var p page
	head := "flow: "
	for line := range strings.SplitSeq(strings.TrimRight(message, "\n"), "\n") {
		p.line("%s%s", head, term.Visible(line))
		head = "      "
	}
	if hint != "" {
		p.line("hint: %s", strings.ReplaceAll(term.VisibleLines(hint), "\n", "\n      "))
	}
	return p.String()
}

// ShellQuote is a word as a shell reads it.
func ShellQuote(word string) string {
	word = term.Visible(word)
	plain := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
	if strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
