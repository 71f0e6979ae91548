package workflows

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/expr-lang/expr/builtin"
	"github.com/google/go-cmp/cmp"
)

// TestFunctionExamples: each function has an example, which comes to what stands
// beside it.
func TestFunctionExamples(t *testing.T) {
	names := map[string]bool{"file": true, "glob": true, "format": true, "hash": true, "limit": true}
	for _, b := range builtin.Builtins {
		names[b.Name] = b.Name != "now" && b.Name != "timezone" && b.Name != "round"
	}
	maps.DeleteFunc(names, func(_ string, on bool) bool { return !on })
	var documented []string
	for _, f := range Functions() {
		documented = append(documented, f.Name)
		template, r := compileForTest(t, "${{ "+f.Example+" }}")
		for _, d := range r.Found {
			t.Error(d.Render())
		}
		env := testEnv()
		env["file"] = func(string) (string, error) { return "1.2.0", nil }
		env["glob"] = func(string) ([]string, error) { return []string{"a.go", "b.go"}, nil }
		got, err := template.Text(env)
		if err != nil || got != f.Gives {
			t.Errorf("%s gives %q, %v; want %q", f.Example, got, err, f.Gives)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(names)), documented); diff != "" {
		t.Error(diff)
	}
}

// TestFunctionsPage: docs/functions.md has what [Functions] lists.
func TestFunctionsPage(t *testing.T) {
	var page strings.Builder
	page.WriteString("# Functions of expressions\n\nWhat every expression of a workflow can call, each with an example and what that comes to; `flow functions` lists them,\ntoo. `#` is the element where a function goes over a list; `.name` is short for `#.name`. Where a function is called with a\nvalue before it, `a | f(b)` is `f(a, b)`. In the examples of `file` and `glob` the workspace holds `VERSION`, with the text\n1.2.0, `a.go` and `b.go`. [Expressions](language.md#expressions) says where they stand, and what else they see.\n\n| function | example | comes to |\n|---|---|---|\n")
	for _, f := range Functions() {
		fmt.Fprintf(&page, "| `%s` | `%s` | `%s` |\n", f.Name, f.Example, f.Gives)
	}
	golden(t, "../docs/functions.md", page.String())
}
