package suite_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/a-seed-11b9befa/flow/runner/suite"
)

// TestLoad: which test files names stand for, and what is wrong with those that can't
// be used.
func TestLoad(t *testing.T) {
	layOut(t, txtar.Parse([]byte(`
-- flow.yaml --
name: load
steps: [{id: say, run: echo hi, output: text}, {id: ask, prompt: Hi., model: script/good.yaml}]
-- good.yaml --
steps: {"*": [{text: x}]}
-- broken.yaml --
steps: [
-- a.test.yaml --
workflow: flow.yaml
cases: [{name: a, expect: {status: succeeded}}]
-- sub/b.test.yaml --
workflow: ../flow.yaml
cases: [{name: b, model: script/../good.yaml, files: ../empty, expect: {status: succeeded}}]
-- sub/no.yaml --
cases: []
-- sub/.hidden/c.test.yaml --
cases: []
-- sub/node_modules/d.test.yaml --
cases: []
-- sub/flow_vendor/e.test.yaml --
cases: []
-- .own/f.test.yaml --
workflow: ../flow.yaml
cases: [{name: f, expect: {status: succeeded}}]
-- empty/a.yaml --
-- wrong/cases.test.yaml --
workflow: ../flow.yaml
cases: [{name: a}]
-- wrong/flow.test.yaml --
workflow: none.yaml
cases: [{name: a, expect: {status: succeeded}}]
-- wrong/step.test.yaml --
workflow: ../flow.yaml
cases: [{name: a, expect: {status: succeeded, calls: [{step: sya}]}}]
-- wrong/names.test.yaml --
workflow: ../flow.yaml
cases:
  - name: a
    model: {steps: {sya: [{text: x}], say: [{text: y, calls: [{name: ghost, arguments: {}}]}], "say~2": [{text: z}], "*": [{text: z}]}}
    expect: {calls: [{tool: bsh, count: 0}, {tool: bash, count: 0}, {tool: ghost}]}
-- wrong/uses.test.yaml --
workflow: ../flow.yaml
cases:
  - {name: a, model: script/none.yaml, expect: {status: succeeded}}
  - {name: b, model: script/../broken.yaml, expect: {status: succeeded}}
  - {name: c, files: none, expect: {status: succeeded}}
  - {name: d, files: uses.test.yaml, expect: {status: succeeded}}
`)).Files)
	for _, tt := range []struct {
		names string
		want  []string // the files that are read, and what is wrong
	}{
		{".own a.test.yaml sub", []string{".own/f.test.yaml", "a.test.yaml", "sub/b.test.yaml"}},
		{"sub sub/b.test.yaml sub", []string{"sub/b.test.yaml"}},
		{"sub/no.yaml", []string{`sub/no.yaml:1:1: a file of tests has no "workflow" (it is required: the workflow's file; its path starts at the folder of this one) [key]`, "sub/no.yaml:1:8: there are no cases [value]"}},
		{"empty", []string{"empty:1:1: no test file in the folder (the name of one ends with .test.yaml) [file]"}},
		{"none a.test.yaml", []string{"a.test.yaml", "none:1:1: the file can't be read: no such file or directory [file]"}},
		{"wrong/cases.test.yaml", []string{`wrong/cases.test.yaml:2:9: a case has no "expect" (it is required: what the run must come to) [key]`}},
		{"wrong/flow.test.yaml", []string{"wrong/flow.test.yaml", "wrong/none.yaml:1:1: the file can't be read: no such file or directory [file]"}},
		{"wrong/step.test.yaml", []string{"wrong/step.test.yaml", `wrong/step.test.yaml:2:62: the workflow has no step "sya" (did you mean "say"?) [reference]`}},
		{"wrong/names.test.yaml", []string{
			"wrong/names.test.yaml",
			`wrong/names.test.yaml:4:21: the workflow has no step "sya" (did you mean "say"?) [reference]`,
			`wrong/names.test.yaml:5:29: there is no tool "bsh" (did you mean "bash"?) [tool]`,
		}},
		{"wrong/uses.test.yaml", []string{
			"wrong/uses.test.yaml",
			"wrong/uses.test.yaml:3:22: the script wrong/none.yaml: no such file or directory (its path starts at the folder of the test file) [file]",
			"wrong/uses.test.yaml:5:22: the folder wrong/none: no such file or directory (its path starts at the folder of the test file) [file]",
			"wrong/uses.test.yaml:6:22: wrong/uses.test.yaml is not a folder (its path starts at the folder of the test file) [file]",
			"broken.yaml:1:8: no valid YAML: the [ is not closed (close it with ]) [syntax]",
		}},
	} {
		s, mistakes := suite.Load(strings.Fields(tt.names), suite.Options{})
		var got []string
		for _, file := range s.Files {
			got = append(got, file.File)
		}
		for _, d := range mistakes {
			got = append(got, d.String())
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.names, diff)
		}
	}
}
