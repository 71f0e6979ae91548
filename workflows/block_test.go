package workflows

import (
	"fmt"
	"strings"
	"testing"
)

// TestValuesInBlocks shows when a string that is one expression keeps the
// value's type, however it is written.
func TestValuesInBlocks(t *testing.T) {
	list := []any{1, 2}
	tests := []struct {
		what, written string
		want          any
	}{
		{"plain", " ${{ [1, 2] }}", list},
		{"single quotes", " '${{ [1, 2] }}'", list},
		{"double quotes", ` "${{ [1, 2] }}"`, list},
		{"literal", " |\n    ${{ [1, 2] }}\n", list},
		{"literal, strip", " |-\n    ${{ [1, 2] }}\n", list},
		{"literal, keep", " |+\n    ${{ [1, 2] }}\n\n\n", list},
		{"folded", " >\n    ${{ [1, 2] }}\n", list},
		{"folded, strip", " >-\n    ${{ [1, 2] }}\n", list},
		{"over lines", " |\n    ${{ [1,\n      2] }}\n", list},
		{"folded over lines", " >\n    ${{ [1,\n    2] }}\n", list},
		{"text before", " |\n    a ${{ [1, 2] }}\n", "a [1,2]\n"},
		{"text behind", " |\n    ${{ [1, 2] }} a\n", "[1,2] a\n"},
		{"blank behind", " \"${{ [1, 2] }} \"", "[1,2] "},
		{"escaped line break behind", ` "${{ [1, 2] }}\n"`, "[1,2]\n"},
		{"a line before", " |\n\n    ${{ [1, 2] }}\n", "\n[1,2]\n"},
		{"two", " |\n    ${{ 1 }}${{ 2 }}\n", "12\n"},
		{"no expression", " |\n    text\n", "text\n"},
		{"marks themselves", " |\n    $${{ x }}\n", "${{ x }}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			w := parseRight(t, "name: x\nsteps: [{run: x}]\noutputs:\n  o:"+tt.written+"\n")
			got, err := w.Outputs[0].Value.Eval(testEnv())
			if err != nil {
				t.Fatal(err)
			}
			check(t, "value", got, tt.want)
		})
	}
}

// TestBlocksEverywhere shows the same for the other keys that take values.
func TestBlocksEverywhere(t *testing.T) {
	w := parseRight(t, `name: x
model: |
  ${{ "openai/x" }}
workspace: |
  ${{ "/tmp" }}
steps:
  - foreach: |
      ${{ [1, 2] }}
    tool: read
    with:
      filePath: |
        ${{ "a" }}
      limit: |
        ${{ item + 1 }}
  - prompt: |
      ${{ "stays" }}
`)
	values := map[string]func() (any, error){
		"/tmp":     func() (any, error) { return w.Workspace.Eval(testEnv()) },
		"[1 2]":    func() (any, error) { return w.Steps[0].Foreach.Eval(testEnv()) },
		"a":        func() (any, error) { return w.Steps[0].With["filePath"].Eval(testEnv()) },
		"8":        func() (any, error) { return w.Steps[0].With["limit"].Eval(Env{"item": 7}) },
		"openai/x": func() (any, error) { return w.Steps[1].Agent.Model.Eval(testEnv()) },
		"\"stays\\n\"": func() (any, error) {
			text, err := w.Steps[1].Agent.Prompt.Text(testEnv())
			return fmt.Sprintf("%q", text), err
		},
	}
	for want, eval := range values {
		got, err := eval()
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("got %v, %v; want %s", got, err, want)
		}
	}
}

// TestPlacesInBlocks puts a wrong name into expressions of scalars of all kinds:
// the mistake is marked where it stands, and its line is shown.
func TestPositionsInBlocks(t *testing.T) {
	for what, written := range map[string]string{
		"plain":                     " a ${{ WRONG }}",
		"plain over lines":          " a\n    b ${{ 1 +\n    WRONG }}",
		"single quotes":             " 'it''s ${{ WRONG }}'",
		"double quotes":             ` "\t\u00e9 ${{ WRONG }}"`,
		"double quotes, joined":     " \"a \\\n    b ${{ WRONG }}\"",
		"literal":                   " |\n    a\n    b ${{ WRONG }}\n",
		"literal, deeper":           " |\n    a\n        b ${{ WRONG }}\n",
		"literal, blank lines":      " |\n\n\n    a\n\n    ${{ WRONG }}\n",
		"folded":                    " >\n    a\n    b\n    ${{ WRONG }}\n",
		"folded, paragraphs":        " >\n    a\n\n    b\n\n\n    ${{ WRONG }}\n",
		"folded, deeper":            " >\n    a\n      b ${{ WRONG }}\n    c\n",
		"folded, strip":             " >-\n    é ${{ WRONG }}",
		"expression over lines":     " |\n    ${{ [1,\n        2,\n      WRONG] }}\n",
		"after another":             " |\n    ${{ 1 }} ${{ \"}}\" }} ${{ WRONG }}\n",
		"after an escaped one":      " |\n    $${{ x }} ${{ WRONG }}\n",
		"in a list":                 "\n    - [a, 'b ${{ WRONG }}']",
		"with a tag and an anchor":  " !!str &a ${{ WRONG }}",
		"after wide characters":     " |\n    😀é漢 ${{ WRONG }}\n",
		"literal with a tab inside": " |\n    a\tb ${{ WRONG }}\n",
	} {
		t.Run(what, func(t *testing.T) {
			text := "name: x\nsteps: [{run: x}]\noutputs:\n  o:" + written + "\n"
			_, ds := Parse("x.yaml", []byte(text), Options{})
			if len(ds) != 1 || ds[0].Message != `unknown name "WRONG"` {
				t.Fatal(ds)
			}
			lines := strings.Split(text, "\n")
			line := lines[ds[0].Line-1]
			if got := string([]rune(line)[ds[0].Column-1:]); !strings.HasPrefix(got, "WRONG") || ds[0].Source != line || ds[0].Length != len("WRONG") {
				t.Errorf("%d:%d, %d characters, is before %q", ds[0].Line, ds[0].Column, ds[0].Length, got)
			}
		})
	}
}
