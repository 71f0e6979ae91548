package host_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/runner/host"
)

// TestMarks: a mistake that only the host sees has its line.
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
		got = append(got, fmt.Sprintf("%d:%d %s", d.Line, d.Column, string([]rune(d.Source)[d.Column-1:])))
	}
	want := []string{
		`3:28 "docs/a.md": allow, docs/b.md: allow}`, "3:48 docs/b.md: allow}", "5:22 openai/gpt-5-mnii, prompt: Hi.}",
		`6:23 "openai/gpt-5", prompt: Hi., params: {temperature: 0.5}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the lines (-want +got):\n%s", diff)
	}
}
