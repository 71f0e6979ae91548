package runner

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
)

// counted are the numbers of each step, and of the run.
func counted(r *Result) string {
	var all strings.Builder
	for _, s := range r.Steps {
		cost := "no cost"
		if s.CostUSD != nil {
			cost = fmt.Sprintf("%v USD", *s.CostUSD)
		}
		fmt.Fprintf(&all, "%s: %d turns, %d kept, %v USD saved, %s\n", s.Path(), s.Turns, s.Cached, s.SavedUSD, cost)
	}
	fmt.Fprintf(&all, "%d tokens, %v USD\n", r.Usage.Total(), r.Cost.USD)
	return all.String()
}

// Answers that were kept are counted like those that were asked for: those of all elements, of
// all steps of a group and of all its rounds, with what they would have cost.
func TestKeptAnswersAreCounted(t *testing.T) {
	const source = `
name: t
model: fake/one
cache: true
steps:
  - {id: each, foreach: [1, 2, 3], prompt: "${{ item }}"}
  - {id: g, until: round == 2, steps: [{id: a, prompt: "a ${{ round }}"}, {id: b, prompt: "b ${{ round }}"}]}
`
	m := newRemembering(t)
	keeps := m.change
	m.change = func(o *Options) {
		keeps(o)
		o.Price = func(_ string, u providers.Usage) (float64, bool) { return float64(u.Total()), true }
	}
	m.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
		answer := says(req.Prompt)
		answer.Usage = providers.Usage{InputTokens: 5, OutputTokens: 5}
		return answer, nil
	}
	check := func(want string) {
		t.Helper()
		if diff := cmp.Diff(want, counted(m.run(source))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if err := os.RemoveAll(m.dir + "/run"); err != nil {
			t.Fatal(err)
		}
	}
	check(`each: 3 turns, 0 kept, 0 USD saved, 30 USD
g: 4 turns, 0 kept, 0 USD saved, 40 USD
g/a: 1 turns, 0 kept, 0 USD saved, 10 USD
g/b: 1 turns, 0 kept, 0 USD saved, 10 USD
70 tokens, 70 USD
`)
	check(`each: 3 turns, 3 kept, 30 USD saved, 0 USD
g: 4 turns, 4 kept, 40 USD saved, 0 USD
g/a: 1 turns, 1 kept, 10 USD saved, 0 USD
g/b: 1 turns, 1 kept, 10 USD saved, 0 USD
0 tokens, 0 USD
`)
}
