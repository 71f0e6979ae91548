package host_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/runner/host"
)

// TestMarks: a mistake that only the host sees has its line, and as much of it is marked
// as the message is about.
func TestMarks(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "flow.yaml", `name: flow
permissions:
  write: {"docs/**": deny, "docs/a.md": allow, docs/b.md: allow}
steps:
  - {id: ask, model: openai/gpt-5-mnii, prompt: Hi.}
  - {id: warm, model: "openai/gpt-5", prompt: Hi., params: {temperature: 0.5}}
`)
	w, found := host.Load("flow.yaml", host.LoadOptions{})
	if w == nil {
		t.Fatal(found)
	}
	var got []string
	for _, d := range append(found, w.Check(host.CheckOptions{})...).Sorted() {
		line := []rune(d.Source)
		got = append(got, fmt.Sprintf("%d:%d %s", d.Line, d.Column, string(line[d.Column-1:min(d.Column-1+d.Length, len(line))])))
	}
	want := []string{"3:28 ", "3:48 ", "5:22 openai/gpt-5-mnii", `6:23 "openai/gpt-5"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is marked (-want +got):\n%s", diff)
	}
}
