package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// What had succeeded counts when a run is resumed, also if something beside it failed, and if the
// run is interrupted at once.
func TestASuccessIsKeptWhateverEnds(t *testing.T) {
	for name, source := range map[string]string{
		"steps":   "name: t\nsteps:\n- {id: bad, run: 'sleep 0.3; exit 1'}\n- {id: good, needs: [], run: 'echo x >> good'}\n- {id: after, needs: [good], run: 'echo x >> good; sleep 0.6'}\n",
		"a group": "name: t\nsteps:\n- id: g\n  steps:\n  - {id: bad, run: 'sleep 0.3; exit 1'}\n  - {id: good, needs: [], run: 'echo x >> good'}\n  - {id: after, needs: [good], run: 'echo x >> good'}\n",
	} {
		first := newTrial(t)
		first.run(source)
		run := filepath.Join(first.dir, "run")
		lines := strings.Split(first.file("run/journal.jsonl"), "\n")
		for n := range lines {
			if n < 2 || n >= len(lines)-1 {
				continue
			}
			tr := newTrial(t)
			dir := cutTo(t, run, n)
			succeeded := map[string]bool{}
			for _, line := range lines[:n] {
				r, err := journal.ParseRecord([]byte(line))
				if err == nil && r.Kind == journal.Ended && r.Status == steps.Succeeded {
					succeeded[r.Unit.Path()] = true
				}
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			for _, cause := range []error{nil, errors.New("interrupted")} {
				tr.ctx = ctx
				if cause != nil {
					dir = cutTo(t, run, n)
					cancel(cause)
				}
				tr.change = func(o *Options) { o.Dir, o.Resume = dir, &Resumption{} }
				r, err := tr.try(source)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range r.Steps {
					if succeeded[s.path] && s.Status != steps.Succeeded {
						t.Errorf("%s: after record %d, %v: %s is %s: %s", name, n, cause, s.path, s.Status, statuses(r))
					}
				}
			}
			cancel(nil)
		}
	}
}

// What was kept after a change to the files is not done again by a later resume, and its usage is counted, whatever happens.
func TestKeptIsKeptByTheNext(t *testing.T) {
	const tail = "- {id: last, run: 'test -e ok'}\n"
	for name, source := range map[string]string{
		"group":   "name: t\nmodel: fake/one\nsteps:\n- {id: g, steps: [{id: a, prompt: a}, {id: b, prompt: b}]}\n- {id: c, prompt: 'c ${{ steps.g.text }}'}\n" + tail,
		"rounds":  "name: t\nmodel: fake/one\nsteps:\n- {id: g, until: round > 2, steps: [{id: a, prompt: a}, {id: b, prompt: 'b ${{ steps.a.text }}'}]}\n- {id: c, prompt: 'c ${{ steps.g.text }}'}\n" + tail,
		"each":    "name: t\nmodel: fake/one\nsteps:\n- {id: g, foreach: [x, y], steps: [{id: a, prompt: 'a ${{ item }}'}, {id: b, prompt: 'b ${{ item }} ${{ steps.a.text }}'}]}\n- {id: c, prompt: 'c ${{ steps.g.text }}'}\n" + tail,
		"nested":  "name: t\nmodel: fake/one\nsteps:\n- {id: g, foreach: [x, y], steps: [{id: h, foreach: [1, 2], as: n, prompt: 'a ${{ item }} ${{ n }}'}, {id: b, prompt: 'b ${{ item }} ${{ steps.h.text }}'}]}\n- {id: c, prompt: 'c ${{ steps.g.text }}'}\n" + tail,
		"when":    "name: t\nmodel: fake/one\nsteps:\n- {id: g, foreach: [x, y, z], when: 'item != \"y\"', prompt: 'a ${{ item }}'}\n- {id: c, prompt: 'c ${{ steps.g.text }}'}\n" + tail,
		"uses":    "name: t\nmodel: fake/one\nsteps:\n- {id: g, uses: used.yaml}\n- {id: c, prompt: 'c ${{ steps.g.text }}'}\n" + tail,
		"retried": "name: t\nmodel: fake/one\nsteps:\n- {id: g, retry: {max_attempts: 2, backoff: 1ms}, steps: [{id: a, prompt: a}, {id: f, run: 'echo >> n; test $(wc -l < n) -ge 2'}, {id: b, prompt: b}]}\n- {id: c, prompt: 'c ${{ steps.g.text }}'}\n" + tail,
	} {
		tr := newTrial(t)
		tr.write("used.yaml", "name: u\nmodel: fake/one\nbudget: {tokens: 100000}\nsteps: [{id: a, prompt: a}, {id: b, prompt: 'b ${{ steps.a.text }}'}]\n")
		var asked []string
		tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
			tr.mu.Lock()
			defer tr.mu.Unlock()
			asked = append(asked, req.Prompt)
			m := says("did " + req.Prompt)
			m.Usage.OutputTokens = 10
			return m, nil
		}
		tr.run(source)
		n := len(asked)
		check := func(what string) {
			t.Helper()
			r, err := ReadResult(filepath.Join(tr.dir, "run"))
			if err != nil {
				t.Fatal(err)
			}
			if len(asked) != n || int(r.Usage.OutputTokens) != 10*n {
				t.Errorf("%s, %s: asked again %q; %d tokens, want %d", name, what, asked[n:], r.Usage.OutputTokens, 10*n)
			}
			asked = asked[:n]
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("interrupted"))
		changed := source + "- {id: z, run: 'true'}\n"
		for i, with := range []*Resumption{{}, {Changed: true}, {}, {}, {Failed: true}, {Changed: true}, {Changed: true, Failed: true}, {}} {
			src := source
			if i > 0 {
				src = changed
			}
			tr.ctx = t.Context()
			tr.change = func(o *Options) { o.Resume = with }
			tr.run(src)
			check(fmt.Sprintf("sitting %d %+v", i, *with))
		}
		tr.ctx = ctx
		tr.change = func(o *Options) { o.Resume = &Resumption{Changed: true} }
		tr.run(changed)
		check("interrupted")
		tr.ctx = t.Context()
		tr.change = func(o *Options) { o.Resume = &Resumption{} }
		tr.run(changed)
		check("after the interruption")
		tr.change = func(o *Options) { o.Resume = &Resumption{Changed: true} }
		tr.run(source)
		check("changed after the interruption")
	}
}
