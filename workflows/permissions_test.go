package workflows

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestRuleExamples reads both forms of rules, and where each example stands.
func TestRuleExamples(t *testing.T) {
	w, ds := Parse("x.yaml", []byte(`name: x
model: openai/x
permissions:
  bash:
    rules: {"git log *": allow}
    match: ["git log -3"]
    no_match: [git push]
steps:
  - prompt: Hi.
    permissions:
      write: {rules: ask, match: {ask: [a.md], deny: [.env]}}
      read: {match: deny}
`), Options{})
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	at := func(line, column int) Position {
		return Position{File: "x.yaml", Line: line, Column: column}
	}
	want := []Example{
		{Tool: "bash", Call: "git log -3", Want: "allow", Pos: at(6, 13)},
		{Tool: "bash", Call: "git push", Pos: at(7, 16)},
	}
	if diff := cmp.Diff(want, w.Examples); diff != "" {
		t.Errorf("the file's (-want +got):\n%s", diff)
	}
	want = []Example{
		{Tool: "write", Call: "a.md", Want: "ask", Pos: at(11, 41)},
		{Tool: "write", Call: ".env", Want: "deny", Pos: at(11, 55)},
	}
	if diff := cmp.Diff(want, w.Steps[0].Examples); diff != "" {
		t.Errorf("the step's (-want +got):\n%s", diff)
	}
	rules := Permissions{
		"write": {{Pattern: "*", Decision: "ask", Pos: at(11, 22)}},
		"read":  {{Pattern: "match", Decision: "deny", Pos: at(12, 14)}},
	}
	if diff := cmp.Diff(rules, w.Steps[0].Permissions, cmpopts.IgnoreUnexported(Rule{})); diff != "" {
		t.Errorf("the rules (-want +got):\n%s", diff)
	}
}
