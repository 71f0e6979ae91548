package runner

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A group that was stopped in the middle of a round returns what the round before had, which sees the
// round before that one, wherever a run is cut off.
func TestAStoppedRoundReturnsTheOneBefore(t *testing.T) {
	const source = `
name: t
model: fake/one
steps:
  - id: g
    until: round > 9
    on_error: continue
    steps:
      - {id: a, run: "echo ${{ round }}"}
      - {id: b, if: round == 3, prompt: x, tools: [echo], stop: {max_turns: 1}}
      - {id: c, run: "echo c${{ round }} after ${{ previous.c.text ?? 'none' }}"}
    outputs: {a: "${{ steps.a.text }}", c: "${{ steps.c.text }}", before: "${{ previous.c.text ?? 'none' }}", round: "${{ round }}"}
outputs: {g: "${{ steps.g.output }}"}
`
	first := newJourney(t, "")
	r := first.run(source)
	if got := Text(r.Outputs.asMap()); got != `{"g":{"a":"2","before":"c1 after none","c":"c2 after c1 after none","round":2}}` {
		t.Errorf("it returns %s", got)
	}
	run := filepath.Join(first.dir, "run")
	want := first.resultIn(run)
	for n := 1; n < strings.Count(first.read(run), "\n"); n++ {
		dir := cutTo(t, run, n)
		j := newJourney(t, dir)
		if _, err := j.try(source); err != nil {
			t.Fatalf("after record %d: %v", n, err)
		}
		if diff := cmp.Diff(want, first.resultIn(dir)); diff != "" {
			t.Errorf("after record %d:\n%s", n, diff)
		}
	}
}
