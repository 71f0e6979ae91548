package runner

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/steps"
)

// Once a list is ended only steps with always() run: a condition that calls success() or failure()
// is not evaluated, and what runs with one is cancelled.
func TestAfterAnEndOnlyAlwaysRuns(t *testing.T) {
	for source, want := range map[string]string{
		"- {id: a, run: echo a}\n- {id: stop, end: succeeded}\n- {id: b, if: success(), run: echo b}\n- {id: c, if: success() || failure(), run: echo c}\n- {id: d, if: always(), run: echo d}": "a=succeeded stop=succeeded b=skipped c=skipped d=succeeded",
		"- {id: a, run: until test -e began; do sleep 0.01; done}\n- {id: stop, end: succeeded}\n- {id: b, needs: [], if: success(), run: echo x > began; sleep 60}":                            "a=succeeded stop=succeeded b=cancelled",
	} {
		tr := newTrial(t)
		r := tr.run("name: t\nsteps:\n" + source + "\n")
		if got := statuses(r); got != want || r.Err() != nil || strings.Contains(tr.file("run/journal.jsonl"), `"about":"if","unit":"c"`) {
			t.Errorf("got %s, %v, want %s", got, r.Err(), want)
		}
	}
}

// What waits for a person beside a step that ends the list is withdrawn, wherever it is, and whenever flow is
// killed. Its answer is not asked for any more.
func TestAnEndWithdrawsQuestions(t *testing.T) {
	const end = "- {id: late, needs: [], run: sleep 0.1}\n- {id: stop, end: succeeded}\n- {id: after, needs: [stop, q], run: echo x}\n- {id: tidy, if: always(), needs: [after], run: echo tidy}\n"
	for name, tt := range map[string]struct{ source, want string }{
		"beside it":          {"- {id: q, ask: Go?}\n" + end, "q=cancelled"},
		"in a group":         {"- {id: q, steps: [{id: a, run: echo a}, {id: in, ask: Go?}, {id: b, run: echo b}]}\n" + end, "q=cancelled q/a=succeeded q/in=cancelled q/b=skipped"},
		"in rounds":          {"- {id: q, until: round > 1, steps: [{id: a, run: echo a}, {id: in, if: round > 1, ask: Go?}]}\n" + end, "q=cancelled q/a=succeeded q/in=cancelled"},
		"in a foreach":       {"- {id: q, foreach: [1, 2, 3], max_parallel: 1, steps: [{id: in, if: item > 1, ask: Go?}, {id: b, run: echo b}]}\n" + end, "q=cancelled"},
		"in a used workflow": {"- {id: q, uses: used.yaml, timeout: 1h}\n" + end, "q=cancelled q/g=cancelled q/g/in=cancelled q/g/b=skipped"},
		"by foreach":         {"- {id: q, foreach: [1, 2], ask: 'Go ${{ item }}?'}\n" + end, "q=cancelled"},
	} {
		source, want := "name: t\nsteps:\n"+tt.source, tt.want+" late=succeeded stop=succeeded after=skipped tidy=succeeded"
		begin := func() *trial {
			tr := newTrial(t)
			tr.write("used.yaml", "name: u\nsteps: [{id: g, steps: [{id: in, ask: Go?}, {id: b, run: echo b}]}]\n")
			return tr
		}
		first := begin()
		r := first.run(source)
		if got := statuses(r); got != want || r.Status != steps.Succeeded || len(r.Waiting) > 0 {
			t.Errorf("%s: %s, %v, %s, want %s", name, r.Status, r.Err(), got, want)
		}
		for n := 2; n < strings.Count(first.file("run/journal.jsonl"), "\n"); n++ {
			again := begin()
			dir := cutTo(t, filepath.Join(first.dir, "run"), n)
			again.change = func(o *Options) { o.Dir, o.Resume = dir, &Resumption{} }
			r, err := again.try(source)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := outermost(statuses(r)), outermost(want); got != want || r.Status != steps.Succeeded || len(r.Waiting) > 0 {
				t.Errorf("%s, killed after record %d: %s, %v, %s, want %s", name, n, r.Status, r.Err(), got, want)
			}
		}
	}
	tr := newTrial(t) // the one on a terminal, too
	tr.change = func(o *Options) {
		o.Question = func(ctx context.Context, _ *Question) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
	}
	if r := tr.run("name: t\nsteps:\n- {id: q, ask: Go?}\n" + end); r.Status != steps.Succeeded || !strings.HasPrefix(statuses(r), "q=cancelled late") {
		t.Errorf("%s: %s", r.Status, statuses(r))
	}
	tr = newTrial(t) // but with always() it waits on
	r := tr.run("name: t\nsteps:\n- {id: q, if: always(), ask: Go?}\n- {id: stop, needs: [], end: succeeded}\n")
	if r.Status != steps.Waiting || len(r.Waiting) != 1 {
		t.Errorf("%s: %s", r.Status, statuses(r))
	}
}

// outermost is what became of the steps that are inside no other: what is cancelled inside one is skipped by the
// next process.
func outermost(statuses string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(statuses), func(s string) bool { return strings.Contains(s, "/") }), " ")
}
