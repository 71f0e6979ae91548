package expression

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/expr-lang/expr/types"
	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/internal/tree"
)

var update = flag.Bool("update", false, "write what expressions come to into testdata anew")

// known is what expressions of testdata see.
func known() Env {
	return Env{
		"n": 2, "half": 0.5, "text": "héllo wörld", "yes": true, "none": nil, "list": []any{1, 2, 3},
		"of":   map[string]any{"a": 1, "b": nil, "deep": map[string]any{"x": "y"}},
		"rows": []any{map[string]any{"name": "Ada", "n": 3}, map[string]any{"name": "Bob", "n": nil}},
	}
}

// TestExpressions has each expression that stands at the beginning of a line of testdata
// read, and what it comes to on the lines under it: its value or what is wrong, why it
// holds or not, and what of it is null. Files are conditions, which are true or false,
// or values.
func TestExpressions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			kind := reflect.Invalid
			if filepath.Base(file) == "conditions.txt" {
				kind = reflect.Bool
			}
			var got strings.Builder
			count := 0
			for line := range strings.Lines(string(want)) {
				switch source := strings.TrimSuffix(line, "\n"); {
				case source == "" || strings.HasPrefix(source, "# "):
					got.WriteString(line)
				case !strings.HasPrefix(source, "  "):
					count++
					got.WriteString(line + comesTo(source, kind))
				}
			}
			if count == 0 {
				t.Fatal("no expression")
			}
			if *update {
				if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// comesTo is what an expression comes to, as lines.
func comesTo(source string, want reflect.Kind) string {
	r, g, env := &tree.Report{}, NewGrammar(nil), known()
	reader := NewReader(r, g)
	names := map[string]types.Type{"none": types.Any, "gone": types.Any, "rows": types.Any}
	for name, value := range env {
		if names[name] == nil {
			names[name] = types.TypeOf(value)
		}
	}
	e, scope := reader.Bare(&tree.Node{Src: tree.NewSource("f", source), Line: 1, Column: 1, Kind: tree.KindString, Value: source, Text: source}), NewScope(g, names)
	if e != nil {
		reader.Compile(e, scope, want)
	}
	var b strings.Builder
	for _, d := range r.Found {
		fmt.Fprintf(&b, "  %s: %s\n", d.Severity, d)
	}
	if e == nil || !e.Compiled() {
		return b.String()
	}
	value, err := e.Eval(env)
	if err != nil {
		fmt.Fprintf(&b, "  fails: %v\n", err)
	} else {
		text, err := json.Marshal(value)
		if err != nil {
			text = []byte(err.Error())
		}
		fmt.Fprintf(&b, "  = %s, %s\n", text, NameOf(value))
	}
	if want == reflect.Bool {
		for _, part := range e.Parts(env) {
			fmt.Fprintf(&b, "  where %s is %v\n", part.Source, part.Value)
		}
		if nulls := e.Nulls(env); nulls != nil {
			fmt.Fprintf(&b, "  null: %s\n", strings.Join(nulls, ", "))
		}
	}
	return b.String()
}

// TestSees: what an expression refers to is what it is given of the values there are;
// functions are not among them.
func TestSees(t *testing.T) {
	for source, want := range map[string]Env{
		"n + 1":                                  {"n": 2},
		"len(filter(list, # > n)) > 0 and yes":   {"n": 2, "list": []any{1, 2, 3}, "yes": true},
		"1 + 1":                                  {},
		"of.deep.x ?? upper(text)":               {"of": known()["of"], "text": "héllo wörld"},
		"none == nil":                            {"none": nil},
		"let twice = n * 2; twice + len('text')": {"n": 2},
	} {
		r, g := &tree.Report{}, NewGrammar(nil)
		reader := NewReader(r, g)
		names := map[string]types.Type{}
		for name := range known() {
			names[name] = types.Any
		}
		e := reader.Bare(&tree.Node{Src: tree.NewSource("f", source), Line: 1, Column: 1, Kind: tree.KindString, Value: source, Text: source})
		reader.Compile(e, NewScope(g, names), reflect.Invalid)
		if len(r.Found) > 0 {
			t.Errorf("%s: %v", source, r.Found)
			continue
		}
		seen := Env{}
		if err := e.Sees(known(), seen); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Errorf("%s (-want +got):\n%s", source, diff)
		}
	}
}
