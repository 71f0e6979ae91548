package report

import (
	"errors"
	"fmt"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// An option of the library is named by the flag of the program, behind a hint that is there.
func TestHint(t *testing.T) {
	tests := []struct{ hint, option, want string }{
		{"", "", ""},
		{"look", "", "look"},
		{"", runner.OptionBudgetUSD, "use --budget-usd"},
		{"raise it", runner.OptionBudgetUSD, "raise it, or use --budget-usd"},
		{"", runner.OptionDir, "choose another folder with --run-dir"},
		{"", runner.OptionWorkspace, "choose another folder with --workspace"},
		{"name one", runner.OptionModel, "name one, or with --model"},
		{"", runner.OptionFrom, "run the step again: flow resume --from UNIT"},
		{"", runner.OptionUnits, "to list the steps and elements of the run: flow show --output json"},
		{"", runner.OptionOnce, "check whether the step took effect"},
		{"restore the files", runner.OptionChanged, "restore the files, or resume with one of:\n--failed --changed  to rerun only what failed\n--changed           to rerun everything whose work differs"},
		{"look", "unheard of", "look"},
	}
	for _, tt := range tests {
		if got := Hint(tt.hint, tt.option); got != tt.want {
			t.Errorf("%q, %q: %q, want %q", tt.hint, tt.option, got, tt.want)
		}
	}
}

func TestHinted(t *testing.T) {
	if Hinted(nil) != nil {
		t.Error("no error has a hint")
	}
	plain := &steps.Error{Message: "it broke", Hint: "look"}
	if Hinted(plain) != plain {
		t.Error("an error without an option is another one")
	}
	worded := Hinted(&steps.Error{Message: "it broke", Hint: "look", Option: runner.OptionModel})
	if worded.Hint != "look, or with --model" || worded.Option != "" || worded.Message != "it broke" {
		t.Errorf("%+v", worded)
	}
}

type hintedError struct{ error }

func (hintedError) Hint() string { return "my own" }

func TestHintOf(t *testing.T) {
	failure := &steps.Error{Message: "it broke", Option: runner.OptionModel}
	for want, err := range map[string]error{
		"":             errors.New("it broke"),
		"with --model": fmt.Errorf("around: %w", failure),
		"my own":       fmt.Errorf("around: %w", hintedError{failure}),
	} {
		if got := HintOf(err); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}

func TestHintResume(t *testing.T) {
	u, err := journal.ParseAddress("pages[3]")
	if err != nil {
		t.Fatal(err)
	}
	of := func(u journal.Address, option string) *runner.Failure {
		return &runner.Failure{Unit: u, Error: steps.Error{Option: option}}
	}
	tests := []struct {
		failure *runner.Failure
		want    string
	}{
		{nil, "to continue: flow resume r"},
		{of(journal.Address{}, runner.OptionFrom), "to continue: flow resume r"},
		{of(u, ""), "to continue: flow resume r"},
		{of(u, runner.OptionFrom), `to run step "pages[3]" again: flow resume r --from 'pages[3]'`},
		{&runner.Failure{Error: steps.Error{Kind: steps.KindContextLength}}, "to continue, shorten the prompt with limit(TEXT, BYTES), and then: flow resume r --changed"},
		{&runner.Failure{Error: steps.Error{Kind: steps.KindConfiguration}}, "to continue once the cause is fixed: flow resume r\nto continue with a changed workflow: flow resume r --changed"},
		{of(u, runner.OptionOnce), `to run step "pages[3]" again: flow resume r --from 'pages[3]'`},
	}
	for _, tt := range tests {
		if got := HintNext("r", &runner.Result{Status: steps.Failed, Error: tt.failure}, nil); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.failure, got, tt.want)
		}
	}
}

func TestMessage(t *testing.T) {
	tests := []struct{ message, hint, want string }{
		{"it broke\n", "", "flow: it broke\n"},
		{"one\ntwo\x1b[2J", "look\nthere", "flow: one\n      two\\x1b[2J\nhint: look\n      there\n"},
	}
	for _, tt := range tests {
		if got := Message(tt.message, tt.hint); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
