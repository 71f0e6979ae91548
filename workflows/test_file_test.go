package workflows_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// Each input of a case that is wrong is a mistake of its own, where it is given, or where
// it could be.
func TestInputsOfCases(t *testing.T) {
	const workflow = `name: w
inputs: {who: {type: string}, n: {type: integer, default: 1}}
steps: [{run: "echo ${{ inputs.who }}"}]
`
	const tests = `workflow: w.yaml
cases:
  - name: names and types
    inputs: {whoo: me, n: x}
    expect: {status: succeeded}
  - name: no inputs
    expect: {status: succeeded}
`
	w, mistakes := workflows.Parse("w.yaml", []byte(workflow), workflows.Options{})
	if mistakes.HasErrors() {
		t.Fatal(mistakes)
	}
	file, mistakes := workflows.ParseTests("w.test.yaml", []byte(tests))
	if mistakes.HasErrors() {
		t.Fatal(mistakes)
	}
	var got []string
	for _, d := range file.Check(w, nil).Sorted() {
		got = append(got, fmt.Sprintf("%d:%d: %s", d.Line, d.Column, d.Message))
	}
	want := []string{
		`4:13: the required input "who" is missing`,
		`4:14: the workflow has no input "whoo" (did you mean "who"?)`,
		`4:24: input "n": got string, want integer`,
		`6:5: the required input "who" is missing`,
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), strings.Join(got, "\n")); diff != "" {
		t.Error(diff)
	}
}
