package suite

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// TestMistakes compares what is said of wrong test files with the .out beside each.
func TestMistakes(t *testing.T) {
	files, err := filepath.Glob("testdata/mistakes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			_, found := parse(filepath.Base(file), text)
			for _, d := range found {
				got.WriteString(d.Render() + "\n")
			}
			out := strings.TrimSuffix(file, ".yaml") + ".out"
			if flag.Lookup("update").Value.String() == "true" {
				if err := os.WriteFile(out, []byte(got.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(out)
			if diff := cmp.Diff(string(want), got.String()); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

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
	file, mistakes := parse("w.test.yaml", []byte(tests))
	if mistakes.HasErrors() {
		t.Fatal(mistakes)
	}
	var got []string
	for _, d := range file.check(w, nil).Sorted() {
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
