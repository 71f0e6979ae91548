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

// Hinted is an error whose hint names flags.
func Hinted(e *steps.Error) *steps.Error {
	if e == nil || e.Option == "" {
		return e
	}
	worded := *e
	worded.Hint, worded.Option = Hint(e.Hint, e.Option), ""
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

// A Command is a command line, and what it does: to answer.
type Command struct {
	Does string `json:"does"`
	Line string `json:"command"`
}

// String is the command as a hint.
func (c Command) String() string { return c.Does + ": " + c.Line }

// HintNext says what can be done next about a run that has ended, one command a line; "" for nothing.
func HintNext(run string, r *runner.Result, short []view.Shortfall) string {
	var lines []string
	for _, c := range next(run, r, r.Status, short) {
		lines = append(lines, c.String())
	}
	return strings.Join(lines, "\n")
}

// next returns what can be done next about a run that does not run.
func next(run string, r *runner.Result, status steps.Status, short []view.Shortfall) (all []Command) {
	add := func(does string, flags ...string) {
		all = append(all, Command{does, strings.Join(append([]string{"flow resume", ShellQuote(run)}, flags...), " ")})
	}
	switch failure := r.Error; {
	case status == steps.Waiting, status == steps.Succeeded && len(short) == 0: // each answer is given by its own command
		return nil
	case status == steps.Succeeded && len(short) == 1 && short[0].Unit != "":
		add("to rerun what failed", "--from", ShellQuote(short[0].Unit))
	case status == steps.Succeeded:
		add("to rerun what failed", "--failed")
	case needsRerun(failure):
		unit := failure.Unit.String()
		add(fmt.Sprintf("to run step \"%s\" again", term.Visible(unit)), "--from", ShellQuote(unit))
	case failure != nil && failure.Kind == steps.KindContextLength:
		add("to continue, shorten the prompt with limit(TEXT, BYTES), and then", "--changed")
		return all
	case failure != nil && view.Raises(failure.Hint): // limits may change before a resume
		add("to continue, " + Hint(failure.Hint, failure.Option) + ", and then")
		return all
	case failure != nil && (slices.Contains(permanent, failure.Kind) || failure.Kind == steps.KindProvider && failure.Hint != ""):
		add("to continue once the cause is fixed")
		add("to continue with a changed workflow", "--changed")
		return all
	default:
		add("to continue")
	}
	if slices.ContainsFunc(short, func(s view.Shortfall) bool { return s.Unit == "" }) { // --changed alone would pay again for elements that succeeded
		add("to rerun what failed with a changed workflow", "--failed", "--changed")
	}
	return all
}

// permanent has the kinds of failures that happen again as long as nothing changes.
var permanent = []steps.Kind{steps.KindConfiguration, steps.KindInvalidWorkflow, steps.KindInvalidInput}

// needsRerun reports whether a unit has to run again before the run can continue.
func needsRerun(f *runner.Failure) bool {
	return f != nil && (f.Option == runner.OptionFrom || f.Option == runner.OptionOnce) && !f.Unit.IsZero()
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
