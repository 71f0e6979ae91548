package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// worker calls a tool twice and then says what it did, in 100 tokens each; at a limit it says how far it is.
func worker(_ context.Context, req providers.Request) (providers.Message, error) {
	turns := 0
	for _, m := range req.Messages {
		if m.Role == providers.RoleAssistant {
			turns++
		}
	}
	m := calls("echo")
	switch last := req.Messages[len(req.Messages)-1].Text(); {
	case strings.HasPrefix(last, "Stop here"):
		m = says(fmt.Sprintf("%s as far as turn %d", req.Prompt, turns))
	case turns == 2 || strings.HasPrefix(req.Prompt, "report"):
		m = says("did " + req.Prompt)
	}
	m.Usage.OutputTokens = 100
	return m, nil
}

// cameTo is what a run came to: each step, with its elements and what is inside these, and the usage.
func cameTo(t *testing.T, r *Result) string {
	t.Helper()
	var b strings.Builder
	tell := func(name string, s *StepResult) {
		fmt.Fprintf(&b, "%s %s", name, s.Status)
		if s.Error != nil {
			fmt.Fprintf(&b, " (%s of %q)", s.Error.Kind, s.Error.BudgetOf)
		}
		if s.Usage != nil {
			fmt.Fprintf(&b, " %d tokens", s.Usage.Total())
		}
		if s.Counts != nil {
			counts, err := json.Marshal(s.Counts)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, " %s", counts)
		}
		output, err := json.Marshal(s.Output)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, " %q %s\n", s.Text, output)
	}
	for _, s := range r.Steps {
		tell(s.path, s)
		if s.elements == nil {
			continue
		}
		for _, e := range elementsOf(t, s) {
			tell(fmt.Sprintf("  %s[%d]", s.path, e.Index), &e.StepResult)
			for _, inner := range e.Inside() {
				tell("    "+inner.path, inner)
			}
		}
	}
	fmt.Fprintf(&b, "%s, %d tokens, %.4f USD\n", r.Status, r.Usage.Total(), r.Cost.USD)
	return b.String()
}

// What a budget with on_limit: continue ends is the same whenever flow is killed, and so are the results
// of what follows, the usage and the cost.
func TestABudgetThatGoesOnAfterAKill(t *testing.T) {
	const head = "name: t\nmodel: fake/one\nparams: {max_output_tokens: 16}\nsteps:\n"
	const report = "- {id: report, prompt: 'report ${{ steps.fan.status }}'}\n"
	for name, tt := range map[string]struct{ source, used, want string }{
		"a foreach of prompts": {source: `
- {id: fan, foreach: [a, b, c, d], max_parallel: 1, budget: {cost_usd: 4.5, on_limit: continue}, prompt: "${{ item }}", tools: [echo]}
` + report, want: `
fan stopped (budget of "fan") 600 tokens {"total":4,"succeeded":1,"not_begun":2,"reasons":{"budget":1}} "" null
  fan[0] succeeded 300 tokens "did a" "did a"
  fan[1] stopped (budget of "fan") 300 tokens "b as far as turn 2" "b as far as turn 2"
  fan[2] stopped (budget of "fan") "" null
  fan[3] stopped (budget of "fan") "" null
report succeeded 100 tokens "did report stopped" "did report stopped"
succeeded, 700 tokens, 7.0000 USD
`},
		"a foreach of groups": {source: `
- id: fan
  foreach: [a, b, c]
  max_parallel: 1
  budget: {cost_usd: 4.5, on_limit: continue}
  steps:
  - {id: one, prompt: "${{ item }}", tools: [echo]}
  - {id: two, run: 'echo ${{ steps.one.text }}', retry: {max_attempts: 2}}
  - {id: tidy, if: always(), run: echo tidy}
` + report, want: `
fan stopped (budget of "fan") 600 tokens {"total":3,"succeeded":1,"not_begun":1,"reasons":{"budget":1}} "" null
  fan[0] succeeded 300 tokens "tidy" "tidy"
    fan/one succeeded 300 tokens "did a" "did a"
    fan/two succeeded "did a" "did a"
    fan/tidy succeeded "tidy" "tidy"
  fan[1] stopped (budget of "fan") 300 tokens "tidy" "tidy"
    fan/one stopped (budget of "fan") 300 tokens "b as far as turn 2" "b as far as turn 2"
    fan/two skipped "" null
    fan/tidy succeeded "tidy" "tidy"
  fan[2] stopped (budget of "fan") "" null
report succeeded 100 tokens "did report stopped" "did report stopped"
succeeded, 700 tokens, 7.0000 USD
`},
		"a group with rounds": {source: `
- id: fan
  budget: {cost_usd: 7.5, on_limit: continue}
  until: round > 9
  outputs: {text: "${{ steps.one.text }}", round: "${{ round }}"}
  steps:
  - {id: one, prompt: "${{ round }}", tools: [echo]}
  - {id: two, run: "true"}
  - {id: three, prompt: "${{ round }}", tools: [echo]}
` + report, want: `
fan stopped (budget of "fan") 900 tokens "text: did 1\nround: 1" {"round":1,"text":"did 1"}
fan/one stopped (budget of "fan") 300 tokens "2 as far as turn 2" "2 as far as turn 2"
fan/two skipped "" null
fan/three skipped "" null
report succeeded 100 tokens "did report stopped" "did report stopped"
succeeded, 1000 tokens, 10.0000 USD
`},
		"a used workflow": {source: `
- {id: fan, uses: used.yaml, budget: {cost_usd: 4.5, on_limit: continue}, retry: {max_attempts: 3, backoff: 1ms}}
` + report, used: `
- {id: a, prompt: a, tools: [echo]}
- {id: g, steps: [{id: each, foreach: [b, c], max_parallel: 1, on_error: finish, prompt: '${{ item }}', tools: [echo]}]}
- {id: d, prompt: d, tools: [echo]}
`, want: `
fan stopped (budget of "fan") 600 tokens "[\"b as far as turn 2\",null]" {}
fan/a succeeded 300 tokens "did a" "did a"
fan/g stopped (budget of "fan") 300 tokens "[\"b as far as turn 2\",null]" ["b as far as turn 2",null]
fan/g/each stopped (budget of "fan") 300 tokens {"total":2,"succeeded":0,"not_begun":1,"reasons":{"budget":1}} "" null
  fan/g/each[0] stopped (budget of "fan") 300 tokens "b as far as turn 2" "b as far as turn 2"
  fan/g/each[1] stopped (budget of "fan") "" null
fan/d skipped "" null
report succeeded 100 tokens "did report stopped" "did report stopped"
succeeded, 700 tokens, 7.0000 USD
`},
		"in a used workflow, in a foreach": {source: `
- {id: fan, foreach: [x, y], max_parallel: 1, uses: used.yaml}
` + report, used: `
- {id: g, budget: {cost_usd: 4.5, on_limit: continue}, steps: [{id: a, prompt: a, tools: [echo]}, {id: b, prompt: b, tools: [echo]}, {id: c, prompt: c, tools: [echo]}]}
- {id: d, run: 'echo ${{ steps.g.status }}'}
`, want: `
fan succeeded 1200 tokens {"total":2,"succeeded":2,"not_begun":0,"inside":{"fan/g":{"failed":2,"reasons":{"budget":2}}}} "" null
  fan[0] succeeded 600 tokens "stopped" {}
    fan/g stopped (budget of "fan[0]/g") 600 tokens "b as far as turn 2" "b as far as turn 2"
    fan/g/a succeeded 300 tokens "did a" "did a"
    fan/g/b stopped (budget of "fan[0]/g") 300 tokens "b as far as turn 2" "b as far as turn 2"
    fan/g/c skipped "" null
    fan/d succeeded "stopped" "stopped"
  fan[1] succeeded 600 tokens "stopped" {}
    fan/g stopped (budget of "fan[1]/g") 600 tokens "b as far as turn 2" "b as far as turn 2"
    fan/g/a succeeded 300 tokens "did a" "did a"
    fan/g/b stopped (budget of "fan[1]/g") 300 tokens "b as far as turn 2" "b as far as turn 2"
    fan/g/c skipped "" null
    fan/d succeeded "stopped" "stopped"
report succeeded 100 tokens "did report succeeded" "did report succeeded"
succeeded, 1300 tokens, 13.0000 USD
`},
		"in each other": {source: `
- id: fan
  budget: {cost_usd: 13.5, on_limit: continue}
  steps:
  - {id: in, foreach: [a, b, c], max_parallel: 1, budget: {cost_usd: 4.5, on_limit: continue}, prompt: "${{ item }}", tools: [echo]}
  - {id: more, foreach: [a, b, c, d], max_parallel: 1, on_error: continue, prompt: "${{ item }}", tools: [echo]}
  - {id: never, run: "true"}
` + report, want: `
fan stopped (budget of "fan") 1500 tokens "[\"did a\",\"did b\",\"c as far as turn 2\",null]" ["did a","did b","c as far as turn 2",null]
fan/in stopped (budget of "fan/in") 600 tokens {"total":3,"succeeded":1,"not_begun":1,"reasons":{"budget":1}} "" null
  fan/in[0] succeeded 300 tokens "did a" "did a"
  fan/in[1] stopped (budget of "fan/in") 300 tokens "b as far as turn 2" "b as far as turn 2"
  fan/in[2] stopped (budget of "fan/in") "" null
fan/more stopped (budget of "fan") 900 tokens {"total":4,"succeeded":2,"not_begun":1,"reasons":{"budget":1}} "" null
  fan/more[0] succeeded 300 tokens "did a" "did a"
  fan/more[1] succeeded 300 tokens "did b" "did b"
  fan/more[2] stopped (budget of "fan") 300 tokens "c as far as turn 2" "c as far as turn 2"
  fan/more[3] stopped (budget of "fan") "" null
fan/never skipped "" null
report succeeded 100 tokens "did report stopped" "did report stopped"
succeeded, 1600 tokens, 16.0000 USD
`},
		"in one that fails": {source: `
- id: fan
  budget: {cost_usd: 8.5}
  steps:
  - {id: in, foreach: [a, b, c], max_parallel: 1, budget: {cost_usd: 6.5, on_limit: continue}, prompt: "${{ item }}", tools: [echo]}
  - {id: more, foreach: [a, b], max_parallel: 1, on_error: continue, prompt: "${{ item }}", tools: [echo]}
` + report, want: `
fan stopped (budget of "fan") 900 tokens "[\"\",null]" ["",null]
fan/in stopped (budget of "fan/in") 800 tokens {"total":3,"succeeded":2,"not_begun":0,"reasons":{"budget":1}} "" null
  fan/in[0] succeeded 300 tokens "did a" "did a"
  fan/in[1] succeeded 300 tokens "did b" "did b"
  fan/in[2] stopped (budget of "fan/in") 200 tokens "c as far as turn 1" "c as far as turn 1"
fan/more stopped (budget of "fan") 100 tokens {"total":2,"succeeded":0,"not_begun":1,"reasons":{"budget":1}} "" null
  fan/more[0] stopped (budget of "fan") 100 tokens "" ""
  fan/more[1] cancelled (cancelled of "") "" null
report skipped "" null
stopped, 900 tokens, 9.0000 USD
`},
		"a step that fails anyway": {source: `
- {id: fan, budget: {cost_usd: 4.5, on_limit: continue}, steps: [{id: a, prompt: a, tools: [echo]}, {id: f, needs: [], run: "sleep 0.2; exit 1"}, {id: b, needs: [a, f], prompt: b, tools: [echo]}]}
` + report, want: `
fan failed (command of "") 300 tokens "" null
fan/a succeeded 300 tokens "did a" "did a"
fan/f failed (command of "") "" null
fan/b skipped "" null
report skipped "" null
failed, 300 tokens, 3.0000 USD
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin := func(change func(*Options)) *trial {
				tr := newTrial(t)
				tr.answer = worker
				tr.write("used.yaml", head+strings.TrimLeft(tt.used, "\n"))
				tr.change = func(o *Options) {
					o.Price = func(_ string, u providers.Usage) (float64, bool) { return float64(u.OutputTokens) / 100, true }
					change(o)
				}
				return tr
			}
			source := head + strings.TrimLeft(tt.source, "\n")
			first := begin(func(*Options) {})
			want := cameTo(t, first.run(source))
			if diff := cmp.Diff(strings.TrimLeft(tt.want, "\n"), want); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for n := 2; n < strings.Count(first.file("run/journal.jsonl"), "\n"); n++ {
				dir := cutTo(t, filepath.Join(first.dir, "run"), n)
				r, err := begin(func(o *Options) { o.Dir, o.Resume = dir, &Resumption{} }).try(source)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, cameTo(t, r)); diff != "" {
					t.Errorf("killed after record %d (-want +got):\n%s", n, diff)
				}
				os.RemoveAll(dir)
			}
		})
	}
}

// A step that its budget has ended counts when the run is resumed; with Failed it goes on where it was, once
// the budget is raised.
func TestABudgetThatGoesOnIsRaised(t *testing.T) {
	source := func(limit string) string {
		return "name: t\nmodel: fake/one\nsteps:\n" +
			"- {id: fan, foreach: [a, b, c, d], max_parallel: 1, budget: {cost_usd: " + limit + ", on_limit: continue}, prompt: '${{ item }}', tools: [echo]}\n" +
			"- {id: report, run: 'test -e ok'}\n"
	}
	tr := newTrial(t)
	asked := 0
	tr.answer = func(ctx context.Context, req providers.Request) (providers.Message, error) {
		asked++
		return worker(ctx, req)
	}
	resume := &Resumption{}
	tr.change = func(o *Options) {
		o.Price = func(_ string, u providers.Usage) (float64, bool) { return float64(u.OutputTokens) / 100, true }
		if asked > 0 {
			o.Resume = resume
		}
	}
	if r := tr.run(source("4.5")); statuses(r) != "fan=stopped report=failed" || asked != 6 {
		t.Fatalf("%s, asked %d times", statuses(r), asked)
	}
	for _, tt := range []struct {
		limit, want string
		with        Resumption
		asked       int // more than before
	}{
		{"9", "fan=stopped report=failed", Resumption{}, 0},
		{"4.5", "fan=stopped report=failed", Resumption{Failed: true}, 0},
		{"9.5", "fan=stopped report=failed", Resumption{Failed: true}, 4},                               // one turn of b, and all of c
		{"9.5", "fan=stopped report=failed", Resumption{From: []journal.Address{unitOf(t, "fan")}}, 11}, // all of a, b and c, one turn of d and its last one
		{"99", "fan=succeeded report=failed", Resumption{Failed: true}, 2},
	} {
		before := asked
		resume = &tt.with
		if r := tr.run(source(tt.limit)); statuses(r) != tt.want || asked-before != tt.asked {
			t.Errorf("with %s, %+v: %s, asked %d times, want %s, %d", tt.limit, tt.with, statuses(r), asked-before, tt.want, tt.asked)
		}
	}
}

// Requests at the same time can't overshoot such a budget together: each agent has at most a last turn more.
func TestABudgetThatGoesOnAndRequestsAtOnce(t *testing.T) {
	for range 20 {
		tr := newTrial(t)
		tr.answer = worker
		tr.change = func(o *Options) {
			o.MaxParallel = 8
			o.Price = func(_ string, u providers.Usage) (float64, bool) { return float64(u.OutputTokens) / 100, true }
		}
		r := tr.run("name: t\nmodel: fake/one\nparams: {max_output_tokens: 100}\nsteps:\n" +
			"- {id: fan, foreach: '${{ 1..40 }}', max_parallel: 8, budget: {cost_usd: 20.5, on_limit: continue}, prompt: '${{ item }}', tools: [echo]}\n" +
			"- {id: report, prompt: 'report ${{ steps.fan.status }}'}\n")
		fan := r.Steps[0]
		if spent := *fan.CostUSD; r.Status != steps.Succeeded || fan.Status != steps.Stopped || spent < 20 || spent > 20+8 {
			t.Errorf("%s, %s, %v USD", r.Status, statuses(r), spent)
		}
		if n := fan.Counts; n.NotBegun < 20 || n.NotBegun+n.Succeeded+n.Reasons[steps.KindBudget] != n.Total {
			t.Errorf("%+v", n)
		}
	}
}
