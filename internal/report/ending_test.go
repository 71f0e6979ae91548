package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/journal/journaltest"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// How a run ended, and the one command that is next.
func TestEnding(t *testing.T) {
	u, err := journal.ParseAddress("pages[3]")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	journaltest.Write(t, dir, "")
	failure := &runner.Failure{Step: "pages", Unit: u, Error: steps.Error{Kind: steps.KindBudget, Message: "the budget\x1b is used up", Hint: "raise it", Option: runner.OptionBudgetUSD}}
	cost := runner.Cost{USD: 0.5, Known: true}
	tests := []struct {
		name    string
		result  runner.Result
		unasked bool
		want    string
	}{
		{"succeeded", runner.Result{Status: steps.Succeeded, Duration: 2000, Cost: cost, Usage: providers.Usage{InputTokens: 1200}}, false,
			"succeeded in 2.0s: 1,200 tokens, $0.50\nrun folder: DIR\n"},
		{"failed", runner.Result{Status: steps.Stopped, Error: failure, Cost: cost}, false,
			"stopped in 0.0s: $0.50\nflow: step \"pages\" was stopped: the budget\\x1b is used up\nrun folder: DIR\nto continue, raise it, or use --budget-usd, and then: flow resume DIR\n"},
		{"waits for more", runner.Result{Status: steps.Waiting, Answered: 2, Cost: cost, Waiting: []runner.Wait{{Unit: u, Question: "Sure?"}}}, false,
			"waiting after 0.0s: $0.50\nflow recorded 2 answers\nthe run waits for 1 answer:\n  step \"pages[3]\" asks:\n  | Sure?\n    to answer: flow resume DIR --answer 'pages[3]=VALUE'\nrun folder: DIR\n"},
		{"nobody was asked, and no price", runner.Result{Status: steps.Succeeded, Unpriced: []string{"a/b"}}, true,
			"succeeded in 0.0s\ncost unknown: no price for a/b\nhint: " + hintAsk + "\nrun folder: DIR\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			counted := new(view.Narrator)
			counted.Unasked = tt.unasked
			got := strings.ReplaceAll(Ending(&tt.result, counted, dir, term.Painter{}), dir, "DIR")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ending (-want +got):\n%s", diff)
			}
		})
	}
}
