package workflows_test

import (
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// loadWith loads a workflow beside other files.
func loadWith(text string, files map[string]string) (*workflows.Workflow, workflows.Diagnostics) {
	return workflows.Parse("w.yaml", []byte(text), workflows.Options{ReadFile: func(path string) ([]byte, error) {
		if text, there := files[path]; there {
			return []byte(text), nil
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}})
}

// A schema that files are a part of is the one that is written out, for everything that sees it.
func TestSchemaOfFiles(t *testing.T) {
	files := map[string]string{
		"a.json":     `{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/A", "definitions": {"A": {"type": "object", "required": ["x"], "properties": {"x": {"$ref": "sub/b.yaml#/$defs/b~1c", "description": "said here"}}}}}`,
		"sub/b.yaml": `$defs: {b/c: {type: array, description: said there, items: {$ref: "#/$defs/d"}}, d: {$ref: ../c.yml}}`,
		"c.yml":      `{type: string, enum: [{$ref: data}, a]}`,
	}
	for _, tt := range []struct{ what, refers, written string }{
		{"the whole", "{$ref: a.json}", "{type: object, required: [x], properties: {x: {description: said here, type: array, items: {type: string, enum: [{$ref: data}, a]}}}}"},
		{"a part", "{type: object, required: [r], properties: {$ref: {type: string}, r: {$ref: sub/b.yaml#/$defs/d}}, $defs: {e: {type: string}}}", "{type: object, required: [r], properties: {$ref: {type: string}, r: {type: string, enum: [{$ref: data}, a]}}, $defs: {e: {type: string}}}"},
		{"more beside it", "{$ref: c.yml, maxLength: 3}", "{allOf: [{type: string, enum: [{$ref: data}, a]}, {maxLength: 3}]}"},
		{"a part of its own", "{$ref: '#/$defs/n', $defs: {n: {type: string}}}", "{$ref: '#/$defs/n', $defs: {n: {type: string}}}"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			const text = "name: x\ninputs: {i: §}\ncustom_tools: {t: {description: d, run: [t], parameters: §}}\nsteps: [{id: s, run: x, output: §}]\n"
			got, found := loadWith(strings.ReplaceAll(text, "§", tt.refers), files)
			want, wanted := loadWith(strings.ReplaceAll(text, "§", tt.written), nil)
			if got == nil || want == nil {
				t.Fatalf("%v\n%v", found, wanted)
			}
			if a, b := string(got.Steps[0].Output.Schema), string(want.Steps[0].Output.Schema); a != b {
				t.Errorf("output:\n%s\n%s", a, b)
			}
			if a, b := string(got.Inputs[0].Schema), string(want.Inputs[0].Schema); a != b {
				t.Errorf("input:\n%s\n%s", a, b)
			}
			if a, b := string(got.CustomTools["t"].Parameters), string(want.CustomTools["t"].Parameters); a != b {
				t.Errorf("parameters:\n%s\n%s", a, b)
			}
			if !reflect.DeepEqual(got.Sums, want.Sums) || got.CustomTools["t"].Sum != want.CustomTools["t"].Sum {
				t.Errorf("sums:\n%v\n%v", got.Sums, want.Sums)
			}
		})
	}
}

// Files that would make a schema without end, or a huge one, are a mistake at a reference.
func TestSchemaFilesBounds(t *testing.T) {
	chain := func(n int, link string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "a%d: "+link+"\n", i, i+1)
		}
		return b.String() + fmt.Sprintf("a%d: {type: string}\n", n)
	}
	for _, tt := range []struct{ what, file, want string }{
		{"a loop", `{a0: {$ref: "#/a1"}, a1: {$ref: "#/a0"}}`, "without end"},
		{"a schema in itself", `{a0: {type: object, properties: {x: {$ref: "#/a0"}}}}`, "without end"},
		{"a long chain", chain(40, `{$ref: "#/a%d"}`), "more than 32 references lead to each other"},
		{"doubled again and again", chain(30, `{type: object, properties: {x: &r {$ref: "#/a%d"}, y: *r}}`), "more than 100,000 values"},
		{"many references", "a0: {type: array, prefixItems: [" + strings.Repeat(`{$ref: "#/b"}, `, 1001) + "]}\nb: true\n", "more than 1,000 references"},
		{"a file that is too long", strings.Repeat(" ", 1<<21), "the file has 2,097,152 bytes"},
		{"a key twice", "{a0: true, a0: false}", `duplicate key "a0"`},
		{"no schema", "{a0: 7}", "leads to 7, and not to a JSON Schema"},
		{"nothing", "{a1: true}", `there is no "a0" (did you mean "a1"?)`},
	} {
		t.Run(tt.what, func(t *testing.T) {
			_, found := loadWith("name: x\nsteps: [{id: s, run: x, output: {$ref: f.yaml#/a0}}]\n", map[string]string{"f.yaml": tt.file})
			if len(found) == 0 || !strings.Contains(fmt.Sprint(found), tt.want) {
				t.Errorf("%v", found)
			}
		})
	}
}
