package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// An answer that comes after another one, or after its time, is refused.
func TestAnAnswerThatComesLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newDeploy(t)
		const source = `
name: late
model: fake/one
steps:
  - {id: go, prompt: p, tools: [deploy]}
  - {id: a, needs: [], ask: "A?"}
  - {id: timed, needs: [], ask: "T?", timeout: 1h, default: none}
`
		p.run(source)
		dir := filepath.Join(p.dir, "run")
		time.Sleep(2 * time.Hour)
		first := []Answer{answer("a", "x"), {Address: "go:call_0", Allowed: true}, {Address: "go:call_1"}}
		if r, err := p.goOn(source, dir, first...); err != nil || len(r.Waiting) != 8 {
			t.Fatalf("%v, waits for %s", err, addresses(r))
		}
		for _, late := range []Answer{answer("a", "y"), {Address: "go:call_0"}, {Address: "go:call_1", Allowed: true}, answer("timed", "y")} {
			want := fmt.Sprintf("nothing named %q waits for an answer, but these do: \"go:call_2\" (a call), ", late.Address)
			if _, err := p.goOn(source, dir, late); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
		if r, err := p.goOn(source, dir, Answer{Address: AllCalls, Allowed: true}); err != nil || r.Status != steps.Succeeded {
			t.Fatalf("%v, %+v", err, r)
		}
	})
}

// One answer may be for all calls that wait; one that names fewer takes precedence.
func TestOneAnswerForAllCalls(t *testing.T) {
	const two = "name: d\nmodel: fake/one\nsteps: [{id: all, prompt: p, tools: [deploy]}, {id: go, needs: [], prompt: p, tools: [deploy]}, {id: q, needs: [], ask: Q?}]"
	for _, test := range []struct {
		name, source string
		given        []Answer
		want         string // how many calls ran in each step, what waits, or the error
	}{
		{"all", deploys, []Answer{{Address: AllCalls, Allowed: true}}, "go 10 of 10"},
		{"none", deploys, []Answer{{Address: AllCalls}}, "go 0 of 10"},
		{"all but one", deploys, []Answer{{Address: "go:call_3"}, {Address: AllCalls, Allowed: true}}, "go 9 of 10"},
		{"those of a step", deploys, []Answer{{Address: "go", Allowed: true}}, "go 10 of 10"},
		{"a step before all", two, []Answer{{Address: "go"}, {Address: "all~1", Allowed: true}}, "all 10 of 10, go 0 of 10, q waits"},
		{"all, and a step of that name", two, []Answer{{Address: AllCalls, Allowed: true}}, "all 10 of 10, go 10 of 10, q waits"},
		{"a text", deploys, []Answer{answer("go:call_3", "yes")}, "\"go:call_3\" is a call, not a question"},
		{"a question", two, []Answer{{Address: "q", Allowed: true}}, "\"q\" is a question, not a call"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newDeploy(t)
			p.run(test.source)
			r, err := p.goOn(test.source, filepath.Join(p.dir, "run"), test.given...)
			got := ""
			if err != nil {
				got = err.Error()
				var e *steps.Error
				if errors.As(err, &e) {
					got += " " + e.Hint
				}
			} else {
				got = ranOf(r)
			}
			if got != test.want && (err == nil || !strings.Contains(got, test.want)) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// ranOf says how many calls of each step ran, and which questions wait.
func ranOf(r *Result) string {
	var all []string
	for _, s := range r.Steps {
		if s.ToolCalls > 0 {
			all = append(all, fmt.Sprintf("%s %d of %d", s.path, s.ToolCalls-len(s.Denied), s.ToolCalls))
		}
	}
	for _, w := range r.Waiting {
		all = append(all, w.Address()+" waits")
	}
	return strings.Join(all, ", ")
}

// A service that gives two calls the same id has each of them asked for by itself.
func TestTwoCallsWithOneID(t *testing.T) {
	p := newDeploy(t)
	p.answer = func(ctx context.Context, req providers.Request) (providers.Message, error) {
		m, err := tenCalls(ctx, req)
		if len(req.Messages) == 1 {
			m.Blocks = m.Blocks[:2]
			m.Blocks[1].ID = m.Blocks[0].ID
		}
		return m, err
	}
	if r := p.run(deploys); addresses(r) != "go:call_0 go:call_0-2" {
		t.Fatalf("waits for %s", addresses(r))
	}
	r, err := p.goOn(deploys, filepath.Join(p.dir, "run"), Answer{Address: "go:call_0", Allowed: true}, Answer{Address: "go:call_0-2"})
	const want = `echo {"n":0}|Denied by the rule "deploy: ask *, denied by a person": a person denied the call.`
	if err != nil || r.Text() != want {
		t.Errorf("%v: got %s, want %s", err, r.Text(), want)
	}
}

// A person who is there when the run is resumed is asked about the calls that wait; what has
// no answer waits on.
func TestAPersonIsAskedAboutCalls(t *testing.T) {
	p := newDeploy(t)
	p.run(deploys)
	change := p.change
	p.change = func(o *Options) {
		change(o)
		o.AskAgain = func(ctx context.Context, tool string, arguments json.RawMessage, d tools.Decision) (tools.Decision, error) {
			var call struct{ N int }
			if err := json.Unmarshal(arguments, &call); err != nil {
				t.Error(err)
			}
			if by := CallerOf(ctx); tool != "deploy" || d.Verdict != tools.Ask || d.Rule != "deploy: ask *" || by.Unit.String() != "go" {
				t.Errorf("asked about %s, %+v, by %+v", tool, d, by)
			}
			switch {
			case call.N == 9:
				return tools.Decision{Verdict: tools.Allow}, ErrUnanswered
			case call.N == 1:
				return tools.Decision{Verdict: tools.Ask}, nil // which allows nothing
			case call.N%2 == 0:
				return tools.Decision{Verdict: tools.Deny, Reason: "not today"}, nil
			}
			return tools.Decision{Verdict: tools.Allow}, nil
		}
	}
	dir := filepath.Join(p.dir, "run")
	if r, err := p.goOn(deploys, dir); err != nil || addresses(r) != "go:call_9" {
		t.Fatalf("%v: waits for %s", err, addresses(r))
	}
	p.change = change
	if r, err := p.goOn(deploys, dir, Answer{Address: "go:call_9", Allowed: true}); err != nil || ranOf(r) != "go 4 of 10" {
		t.Errorf("%v: %s", err, ranOf(r))
	}
	if said := p.file("run/journal.jsonl"); !strings.Contains(said, "a person denied the call: not today") {
		t.Error("the model is not told why a call is denied")
	}
}
