package runner

import (
	"context"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/unit"
)

// What is done anew is counted where it was spent, once: however often a run is gone on
// with, it has used what its models were asked for.
func TestUsedOnce(t *testing.T) {
	const (
		elements = "name: t\nmodel: fake/one\nsteps:\n- {id: each, foreach: [x, y, z], max_parallel: 1, on_error: finish, prompt: 'do ${{ item }}'}\n"
		inside   = "name: t\nmodel: fake/one\nsteps:\n- {id: each, foreach: [x, y], max_parallel: 1, on_error: finish, steps: [{id: one, prompt: 'do ${{ item }}'}, {id: two, prompt: two}]}\n"
		retried  = "name: t\nmodel: fake/one\nsteps:\n- {id: a, retry: {max_attempts: 2, backoff: 1ms}, prompt: a, checks: [{run: 'echo >> n; test $(wc -l < n) -ge 2'}], max_fixes: 0}\n"
		group    = "name: t\nmodel: fake/one\nsteps:\n- {id: a, retry: {max_attempts: 2, backoff: 1ms}, steps: [{id: one, prompt: one}, {id: two, run: 'echo >> n; test $(wc -l < n) -ge 2'}]}\n"
		rounds   = "name: t\nmodel: fake/one\nsteps:\n- {id: a, until: round > 1, steps: [{id: one, prompt: one}]}\n"
		chain    = "name: t\nmodel: fake/one\nsteps:\n- {id: a, prompt: a}\n- {id: each, foreach: [x, y], prompt: '${{ steps.a.text }} ${{ item }}'}\n"
		other    = "- {id: z, run: echo z}\n"
		prompted = "- {id: z, prompt: z}\n"
	)
	type sitting struct {
		source  string
		from    string
		changed bool
	}
	for _, tt := range []struct {
		name string
		all  []sitting
	}{
		{"an element, twice", []sitting{{elements, "", false}, {elements, "each[1]", false}, {elements, "each[1]", false}}},
		{"an element, and kept", []sitting{{elements, "", false}, {elements, "each[1]", false}, {elements + other, "", true}}},
		{"an element, kept and then again", []sitting{{elements, "", false}, {elements + other, "", true}, {elements + other, "each[1]", false}, {elements, "", true}}},
		{"an element, and not kept", []sitting{{elements, "", false}, {elements, "each[1]", false}, {elements + other, "each", true}}},
		{"all elements, and kept", []sitting{{elements, "", false}, {elements, "each", false}, {elements + other, "", true}}},
		{"all elements, then one, and kept", []sitting{{elements, "", false}, {elements, "each", false}, {elements, "each[1]", false}, {elements + other, "", true}}},
		{"with steps inside, one", []sitting{{inside, "", false}, {inside, "each[1]/two", false}, {inside + other, "", true}}},
		{"with steps inside, an element", []sitting{{inside, "", false}, {inside, "each[1]", false}, {inside + other, "", true}}},
		{"with steps inside, all", []sitting{{inside, "", false}, {inside, "each", false}, {inside + other, "", true}}},
		{"attempts", []sitting{{retried, "", false}, {retried + other, "", true}, {retried, "", true}}},
		{"attempts, and again", []sitting{{retried, "", false}, {retried, "a", false}, {retried + other, "", true}}},
		{"attempts of a group", []sitting{{group, "", false}, {group, "a", false}, {group + other, "", true}}},
		{"rounds", []sitting{{rounds, "", false}, {rounds, "a", false}, {rounds + other, "", true}}},
		{"the last round", []sitting{{rounds, "", false}, {rounds, "a/one#2", false}, {rounds + other, "", true}}},
		{"what depends on it", []sitting{{chain, "", false}, {chain, "a", false}, {chain + other, "", true}}},
		{"files that change again and again", []sitting{{chain, "", false}, {chain + prompted, "", true}, {chain, "a", true}, {chain + prompted, "each[1]", true}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrial(t)
			asked := 0
			tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
				tr.mu.Lock()
				defer tr.mu.Unlock()
				asked++
				m := says("did " + req.Prompt)
				m.Usage.OutputTokens = 10
				return m, nil
			}
			for i, s := range tt.all {
				tr.change = func(o *Options) {
					if i > 0 {
						o.Resume = &Resumption{Changed: s.changed}
					}
					if s.from != "" {
						o.Resume.From = []unit.Unit{unitOf(t, s.from)}
					}
				}
				if r := tr.run(s.source); int(r.Usage.OutputTokens) != 10*asked {
					t.Errorf("sitting %d: %d tokens, asked %d times", i+1, r.Usage.OutputTokens, asked)
				}
			}
		})
	}
}
