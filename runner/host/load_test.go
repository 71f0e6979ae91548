package host

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

func TestReadSource(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "small"), "text")
	large, err := os.Create(filepath.Join(dir, "large"))
	if err != nil {
		t.Fatal(err)
	}
	defer large.Close()
	if err := large.Truncate(MaxSourceBytes + 1); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, wants string }{
		{"large", "larger than 16 MiB"},
		{"none", "no such file"},
		{".", "it is a folder"},
	}
	for _, tt := range tests {
		_, err := ReadSource(filepath.Join(dir, tt.name))
		if err == nil || !strings.Contains(err.Error(), tt.wants) || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.wants)
		}
	}
	if data, err := ReadSource(filepath.Join(dir, "small")); string(data) != "text" || err != nil {
		t.Errorf("small: %q, %v", data, err)
	}
	if _, err := ReadSource("/dev/zero"); err == nil {
		t.Error("a file without an end was read")
	}
}

func TestScopeOfPath(t *testing.T) {
	inner := &workflows.Step{Name: "pages", Agent: &workflows.Agent{}}
	part := &workflows.Workflow{File: "part.yaml", Steps: []*workflows.Step{inner}}
	w := &workflows.Workflow{File: "flow.yaml", Steps: []*workflows.Step{
		{Name: "first", Agent: &workflows.Agent{}},
		{Name: "group", Group: &workflows.Group{Steps: []*workflows.Step{
			{Name: "used", Permissions: workflows.Permissions{"write": nil}, Use: &workflows.Use{Workflow: part}},
		}}},
	}}
	found, scope, err := (&Loaded{Workflow: w}).scopeAt("group/used/pages", "/w", nil)
	if err != nil {
		t.Fatal(err)
	}
	if layers := scope.Layers; found != inner || scope.Workflow != part || len(layers) != 2 || layers[0].Workflow != w || layers[0].Step == nil || layers[1].Workspace != "/w" {
		t.Errorf("found %+v, %+v", found, scope)
	}
	if found, scope, err := (&Loaded{Workflow: w}).scopeAt("group/used", "/w", nil); err != nil || found.Use == nil || len(scope.Layers) != 1 {
		t.Errorf("found %+v, %+v, %v", found, scope, err)
	}
	for path, hint := range map[string]string{
		"frist":              `did you mean "first"?`,
		"group/usde":         `did you mean "group/used"?`,
		"group/used/paegs":   `did you mean "group/used/pages"?`,
		"first/inside":       "there are no steps inside",
		"something/entirely": "the steps here are first, group, group/used",
		"":                   "the steps here are first, group, group/used",
	} {
		_, _, err := (&Loaded{Workflow: w}).scopeAt(path, "/w", nil)
		wrong, ok := err.(*steps.Error)
		if !ok || wrong.Kind != steps.KindInvalidInput || !strings.Contains(wrong.Hint, hint) {
			t.Errorf("%q: %#v, want %q", path, err, hint)
		}
	}
}

func TestCallInput(t *testing.T) {
	tests := []struct{ tool, argument, want string }{
		{"read", "a.txt", `{"filePath":"a.txt"}`},
		{"bash", "ls -la", `{"command":"ls -la"}`},
		{"webfetch", "https://example.com", `{"url":"https://example.com"}`},
		{"grep", "src", `{"path":"src","pattern":"*"}`},
		{"list", "src", `{"path":"src"}`},
		{"bash", `{"command": "x"}`, `{"command": "x"}`},
		{"custom", "", `{}`},
		{"custom", "x", ""},
		{"read", "{", ""},
		{"bash", "{ ls; }", `{"command":"{ ls; }"}`},
	}
	for _, tt := range tests {
		got, err := callInput(tt.tool, tt.argument)
		if (err != nil) != (tt.want == "") || string(got) != tt.want {
			t.Errorf("callInput(%q, %q) = %s, %v, want %s", tt.tool, tt.argument, got, err, tt.want)
		}
	}
}

// TestFetched: what is in a vendor folder is not the caller's own, also where a symlink leads
// there and no option says so. A recipe that has changed is not loaded.
func TestFetched(t *testing.T) {
	dir := t.TempDir()
	vendored := filepath.Join(dir, "flow_vendor", "recipe")
	if err := os.MkdirAll(vendored, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(dir, "flow.yaml"), filepath.Join(vendored, "flow.yaml")} {
		write(t, file, "name: x\nsteps:\n  - {id: a, run: echo x}\n")
	}
	if err := os.Symlink(filepath.Join(vendored, "flow.yaml"), filepath.Join(dir, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]bool{"flow.yaml": false, "flow_vendor/recipe/flow.yaml": true, "link.yaml": true} {
		w, found := Load(filepath.Join(dir, file), LoadOptions{})
		if w == nil || w.Fetched() != want {
			t.Errorf("%s: %v, want fetched %t", file, found, want)
		}
	}
	changed := Environment{Intact: func(file string) error { return errors.New("it was changed") }}
	if w, found := Load(filepath.Join(dir, "flow.yaml"), LoadOptions{Environment: changed}); w != nil || len(found) != 1 || found[0].Code != diagnostic.CodeFile {
		t.Errorf("%v", found)
	}
}

// TestLoadMistakes loads a workflow of which one line is missing, or has another value: nothing that
// looks at what is left of it fails.
func TestLoadMistakes(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "inner.yaml"), "name: inner\nsteps:\n  - run: ls\n  - uses: gone.yaml\n  - ask:\n")
	file := filepath.Join(dir, "flow.yaml")
	const text = `
name: all
model: openai/gpt-5-mini
sandbox: {write: [x], required: true}
env: [HOME, {A: b}]
permissions:
  bash:
    rules: {"git log *": allow}
    match: ["git log"]
  write: {"docs/**": allow}
agents:
  one:
    tools: [bash]
    permissions: {read: allow}
custom_tools:
  own: {description: d, run: make}
mcp:
  server: {command: [x]}
inputs:
  n: {type: integer}
steps:
  - id: a
    run: make
  - id: b
    prompt: x
    agent: one
    permissions: {bash: allow}
    checks: [{run: make}]
  - id: c
    uses: inner.yaml
    grant: {commands: true}
    permissions: {read: allow}
  - id: d
    steps:
      - {tool: bash, with: {command: ls}}
      - ask: What?
        output: text
      - {run: ls, held: true}
    until: true
outputs: {x: 1}
findings: []
`
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		key, _, _ := strings.Cut(line, ":")
		for _, other := range []string{"", key + ":", key + ": 3", key + ": [x]", key + ": {y: z}", key + `: ""`, "  " + line} {
			mutant := slices.Clone(lines)
			mutant[i] = other
			write(t, file, strings.Join(mutant, "\n"))
			Load(file, LoadOptions{})
		}
	}
}
