package workflows

import (
	"strings"
	"testing"
)

// stopWhen gives a workflow whose agent stops when a condition holds.
func stopWhen(condition string) string {
	return "name: x\nsteps:\n  - prompt: Hi.\n    tools: [read, grep]\n    stop:\n      when: |\n        " + condition + "\n"
}

// TestCalls computes conditions over the calls of a step.
func TestCalls(t *testing.T) {
	all := []any{
		map[string]any{"name": "read", "status": "ok", "turn": 1, "arguments": map[string]any{"filePath": "a.go", "limit": 3}},
		map[string]any{"name": "grep", "status": "error", "turn": 2, "arguments": map[string]any{"pattern": "x"}},
		map[string]any{"name": "read", "status": "denied", "turn": 2, "arguments": map[string]any{}},
	}
	env := Env{"calls": func(names ...string) []any {
		var some []any
		for _, call := range all {
			if len(names) == 0 || call.(map[string]any)["name"] == names[0] {
				some = append(some, call)
			}
		}
		return some
	}}
	tests := []struct {
		condition string
		want      bool
	}{
		{`len(calls()) == 3`, true},
		{`len(calls("read")) == 2`, true},
		{`any(calls("read"), .arguments.filePath == "a.go")`, true},
		{`any(calls(), .arguments.filePath == "b.go")`, false},
		{`calls()[0].arguments.limit > 2`, true},
		{`calls("grep")[0].status == "error" and calls("grep")[0].turn == 2`, true},
		{`all(calls(), .turn > 0)`, true},
		{`count(calls(), .status == "ok") == 1`, true},
		{`len(filter(calls("read"), {.status == "denied"})) == 1`, true},
		{`"read" in map(calls(), .name)`, true},
		{`let reads = calls("read"); reads[len(reads) - 1].turn == 2`, true},
		{`calls("read")[0].arguments["filePath"] startsWith "a"`, true},
	}
	for _, tt := range tests {
		t.Run(tt.condition, func(t *testing.T) {
			w, ds := Parse("x.yaml", []byte(stopWhen(tt.condition)), Options{})
			if len(ds) > 0 {
				t.Fatal(ds)
			}
			if got, err := w.Steps[0].Agent.Stop.When.Holds(env); err != nil || got != tt.want {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

// TestCallsAreTyped shows what is found when the file is loaded.
func TestCallsAreTyped(t *testing.T) {
	tests := []struct{ condition, want string }{
		{`calls()[0].input == 1`, `unknown field "input"`},
		{`any(calls(), .args.x == 1)`, `unknown field "args"`},
		{`calls("read")[0].turn == "1"`, "does not go with a number and a string"},
		{`calls().name == "read"`, "a list has no field"},
		{`calls(1) == nil`, "calls takes a string here, not a number"},
		{`len(calls("raed")) > 1`, `the tool "raed"`},
		{`len(calls("write")) > 1`, `the tool "write"`},
		{`len(calls("read", "grep")) > 1`, "one name"},
		{`len(map(calls(), {calls("x")})) > 1`, `the tool "x"`},
		{`calls`, "true or false"},
		{`calls()`, "true or false"},
	}
	for _, tt := range tests {
		t.Run(tt.condition, func(t *testing.T) {
			_, ds := Parse("x.yaml", []byte(stopWhen(tt.condition)), Options{})
			if !strings.Contains(ds.Error(), tt.want) {
				t.Errorf("got %v, want %q", ds, tt.want)
			}
		})
	}
}
