package runner

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// A sitting is one process that works in a run.
type sitting struct {
	source  string
	from    string
	changed bool
}

func (s sitting) resumption(t *testing.T) *Resumption {
	with := &Resumption{Changed: s.changed}
	if s.from != "" {
		with.From = []journal.Address{unitOf(t, s.from)}
	}
	return with
}

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
						o.Resume = s.resumption(t)
					}
				}
				if r := tr.run(s.source); int(r.Usage.OutputTokens) != 10*asked {
					t.Errorf("sitting %d: %d tokens, asked %d times", i+1, r.Usage.OutputTokens, asked)
				}
			}
		})
	}
}

// Killed after any record whatever, and gone on with: what its models were asked for is
// counted once, also of what is not taken over.
func TestUsedAfterADeath(t *testing.T) {
	const (
		head   = "name: t\nmodel: fake/one\nsteps:\n"
		talk   = "- {id: a, tools: [note], prompt: a}\n- {id: b, prompt: b}\n"
		each   = "- {id: a, foreach: [x, y, z], max_parallel: 2, on_error: finish, tools: [note], prompt: 'do ${{ item }}'}\n"
		inside = "- {id: a, foreach: [x, y], max_parallel: 1, steps: [{id: one, tools: [note], prompt: 'do ${{ item }}'}, {id: two, prompt: two}]}\n"
		rounds = "- {id: a, until: round > 1, steps: [{id: one, prompt: one}, {id: two, foreach: [x, y], prompt: two}]}\n"
		group  = "- {id: a, retry: {max_attempts: 2, backoff: 1ms}, steps: [{id: one, prompt: one}, {id: two, run: 'echo >> n; test $(wc -l < n) -ge 2'}, {id: three, prompt: three}]}\n"
		tried  = "- {id: a, retry: {max_attempts: 2, backoff: 1ms}, prompt: a, checks: [{run: 'echo >> n; test $(wc -l < n) -ge 2'}], max_fixes: 0}\n"
		beside = "- {id: a, needs: [], tools: [note], retry: {max_attempts: 2, backoff: 1ms}, prompt: a, checks: [{run: 'false'}], max_fixes: 0}\n- {id: b, needs: [], run: 'false'}\n"
		once   = "- {id: a, once: true, tools: [note], prompt: a}\n"
		other  = "- {id: z, run: echo z}\n"
	)
	for _, tt := range []struct {
		name, source string
		from         []string
	}{
		{"a conversation", talk, []string{"a", "b"}},
		{"elements", each, []string{"a", "a[0]", "a[1]"}},
		{"elements with steps inside", inside, []string{"a", "a[0]", "a[1]/two", "a[0]/one"}},
		{"rounds", rounds, []string{"a", "a/two", "a/two[0]"}},
		{"attempts of a group", group, []string{"a", "a/one", "a/three"}},
		{"attempts", tried, []string{"a"}},
		{"beside one that fails", beside, []string{"a", "b"}},
		{"what may not be begun twice", once, []string{"a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first := newJourney(t, "")
			first.run(head + tt.source)
			run := filepath.Join(first.dir, "run")
			same, added, asked := head+tt.source, head+tt.source+other, strings.ReplaceAll(head+tt.source, "prompt: ", "system: other, prompt: ")
			step := 3
			if testing.Short() {
				step = 9
			}
			for n := 1; n <= strings.Count(first.read(run), "\n"); n += step {
				countsOnce(t, run, n, sitting{same, "", false})
				countsOnce(t, run, n, sitting{added, "", true})
				countsOnce(t, run, n, sitting{asked, "", true})
				for _, from := range tt.from {
					countsOnce(t, run, n, sitting{same, from, false})
					countsOnce(t, run, n, sitting{added, from, true})
					countsOnce(t, run, n, sitting{same, from, false}, sitting{same, from, false}, sitting{added, "", true}, sitting{same, "", true})
				}
			}
		})
	}
}

// countsOnce goes on with a run after n of its records. Between two sittings the run is killed.
func countsOnce(t *testing.T, run string, n int, sittings ...sitting) {
	t.Helper()
	for i, s := range sittings {
		dir := cutTo(t, run, n)
		j := newJourney(t, dir)
		change := j.change
		j.change = func(o *Options) { change(o); o.Resume = s.resumption(t) }
		r, err := j.try(s.source)
		if err != nil && strings.Contains(err.Error(), "has no step or element") {
			return // it has not begun
		}
		if err != nil {
			t.Fatal(err)
		}
		said, _, _ := journalOf(t, dir)
		if got, want := fmt.Sprint(r.Usage.OutputTokens, r.Cost.USD), fmt.Sprint(5*sum(said), 0.5*float64(sum(said))); got != want {
			t.Errorf("after record %d of %d: %+v: used %s, and was answered %s", n, i, sittings[:i+1], got, want)
		}
		records := strings.Count(j.read(dir), "\n")
		run, n = dir, n+max(1, (records-n)/2)
	}
}
