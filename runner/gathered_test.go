package runner

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/steps"
)

// What is left out says nothing: the text of a group, and of a run, is that of the last step
// that ran, also if one behind it was skipped.
func TestTheLastStepThatRanSpeaks(t *testing.T) {
	for _, tt := range []struct{ name, list, want string }{
		{"all ran", "[{id: a, run: echo a}, {id: b, run: echo b}]", "b"},
		{"the last is skipped", "[{id: a, run: echo a}, {id: b, if: false, run: echo b}]", "a"},
		{"two are skipped", "[{id: a, run: echo a}, {id: b, if: false, run: echo b}, {id: c, if: false, run: echo c}]", "a"},
		{"all are skipped", "[{id: a, if: false, run: echo a}]", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := strings.ReplaceAll(tt.list, "if: false", `if: "false"`)
			r := newTrial(t).run("name: t\nsteps:\n  - {id: g, steps: " + list + "}\n")
			if got := strings.TrimSpace(r.Steps[0].Text); got != tt.want || r.Status != steps.Succeeded {
				t.Errorf("the group says %q, want %q: %s", got, tt.want, r.Status)
			}
			r = newTrial(t).run("name: t\nsteps: " + list + "\n")
			if got := strings.TrimSpace(r.Text()); got != tt.want || r.Status != steps.Succeeded {
				t.Errorf("the run says %q, want %q: %s", got, tt.want, r.Status)
			}
		})
	}
}

// A failure is counted once: as that of the element if it failed, and as that of the step
// inside if the element succeeded all the same.
func TestFailuresOfElementsAreCountedOnce(t *testing.T) {
	const source = `
name: t
steps:
  - id: each
    foreach: [1, 2, 3, 4]
    max_parallel: 1
    on_error: continue
    steps:
      - {id: soft, on_error: continue, run: "test ${{ item }} -lt 3"}
      - {id: inner, on_error: continue, foreach: [1, 2, 3], run: "test ${{ item }} -ne 3"}
      - {id: hard, run: "test ${{ item }} -ne 2 -a ${{ item }} -ne 4"}
`
	r := newTrial(t).run(source)
	counts := r.Steps[0].Counts
	if counts == nil {
		t.Fatalf("%s: %v", r.Status, r.Error)
	}
	got := fmt.Sprintf("%d of %d, %v", counts.Succeeded, counts.Total, counts.Reasons)
	for _, path := range slices.Sorted(maps.Keys(counts.Inside)) {
		inside := counts.Inside[path]
		got += fmt.Sprintf("; %s: %d of %d, %v", path, inside.Failed, inside.Of, inside.Reasons)
	}
	// Elements 2 and 4 fail by hard. soft fails in 3 and 4, of which only 3 succeeds. inner loses
	// one of its three in each of the four.
	want := "2 of 4, map[command:2]; each/inner: 4 of 12, map[command:4]; each/soft: 1 of 0, map[command:1]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
