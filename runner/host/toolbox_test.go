package host

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// recipe is a workflow with a rule and two tools of its own.
const recipe = `name: recipe
tools: [read, write, list, glob, bash, say]
model: script/a.yaml
permissions:
  write: {"src/**": deny}
steps:
  - id: docs
    prompt: hi
    permissions: {write: {"docs/**": allow}, read: {"docs/secret*": deny}}
  - id: again
    foreach: [1, 2]
    prompt: hi
custom_tools:
  say:
    description: Say it
    parameters: {type: object, properties: {word: {type: string}}, required: [word]}
    run: [echo, "${{ args.word }}", "${{ inputs.who }}"]
inputs: {who: {type: string, default: Ada}}
`

// loaded writes the recipe to a workspace and loads it.
func loaded(t *testing.T) (*Loaded, string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "flow.yaml")
	write(t, file, recipe)
	write(t, filepath.Join(dir, "a.yaml"), `steps: {"*": [{text: hi}]}`)
	write(t, filepath.Join(dir, "docs", "page.md"), "a page")
	write(t, filepath.Join(dir, "docs", "secret.md"), "a secret")
	w, found := Load(file, LoadOptions{Environment: with(nil)})
	if w == nil {
		t.Fatal(found)
	}
	return w, dir
}

func scopeOf(w *Loaded, dir string, step int) runner.ToolScope {
	s := w.Steps[step]
	return runner.ToolScope{
		Workflow: w.Workflow, Workspace: dir, Outputs: filepath.Join(dir, ".flow", "outputs"), Tools: s.ToolNames(),
		Layers: []runner.Layer{{Workflow: w.Workflow, Step: s.Permissions}},
		Env:    workflows.Env{"inputs": map[string]any{"who": "Ada"}},
	}
}

// call makes one call as a step does.
func call(t *testing.T, box runner.Toolbox, tool, arguments string) tools.Answer {
	t.Helper()
	var entries []tools.Entry
	for _, found := range box.Find(tool) {
		entries = append(entries, tools.Entry{Tool: found})
	}
	set, err := tools.NewSet(entries, tools.SetOptions{Guard: box.Guard})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := set.Prepare(tool, json.RawMessage(arguments)).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestToolbox(t *testing.T) {
	w, dir := loaded(t)
	boxes := newToolboxes(&Loaded{Workflow: w.Workflow, all: w.all, env: with(map[string]string{"PATH": os.Getenv("PATH")}), origins: w.origins}, Options{})
	defer boxes.close()
	box, err := boxes.box(t.Context(), scopeOf(w, dir, 0))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		tool, arguments string
		status          tools.Status
		content         string
	}{
		{"read", `{"filePath": "docs/page.md"}`, tools.Succeeded, "a page"},
		{"read", `{"filePath": "docs/secret.md"}`, tools.Denied, "docs/secret*"},
		{"read", `{"filePath": "../outside"}`, tools.Denied, ""},
		{"write", `{"filePath": "docs/new.md", "content": "x"}`, tools.Succeeded, ""},
		{"write", `{"filePath": "src/new.md", "content": "x"}`, tools.Denied, "src/**"},
		{"write", `{"filePath": "flow.yaml", "content": "x"}`, tools.Denied, ""},
		{"bash", `{"command": "true", "description": "x"}`, tools.Denied, ""},
		{"say", `{"word": "$(touch pwned)"}`, tools.Succeeded, "$(touch pwned) Ada"},
		{"glob", `{"pattern": "**/*.md"}`, tools.Succeeded, "docs/page.md"},
	}
	for _, tt := range tests {
		answer := call(t, box, tt.tool, tt.arguments)
		if answer.Status != tt.status || !strings.Contains(answer.Content, tt.content) {
			t.Errorf("%s %s: %s %q, want %s %q", tt.tool, tt.arguments, answer.Status, answer.Content, tt.status, tt.content)
		}
	}
	if content := call(t, box, "glob", `{"pattern": "**/*"}`).Content; strings.Contains(content, "secret") {
		t.Errorf("a search shows what may not be read: %q", content)
	}
	if found := box.Find("nosuch"); found != nil {
		t.Errorf("found %v", found)
	}
	if box.Guard.Offered("bash") || !box.Guard.Offered("write") {
		t.Error("what is denied altogether is offered, or the other way round")
	}
}

// TestCommandsAreMadeWhereTheyAreListed: a step without any does not try the sandbox.
func TestCommandsAreMadeWhereTheyAreListed(t *testing.T) {
	w, dir := loaded(t)
	w.CustomTools = nil
	boxes := newToolboxes(loadedIn(with(nil)), Options{})
	defer boxes.close()
	for _, tool := range []string{"read", "bash"} {
		scope := scopeOf(w, dir, 0)
		scope.Tools = []string{tool}
		box, err := boxes.box(t.Context(), scope)
		if err != nil {
			t.Fatal(err)
		}
		if made := len(box.Find("bash")) > 0; made != (tool == "bash") {
			t.Errorf("a step that lists %s has bash: %v", tool, made)
		}
	}
}

// TestWritableIsWhatIsNotDenied judges where a link leads that is newer than the
// judgement of the call.
func TestWritableIsWhatIsNotDenied(t *testing.T) {
	w, dir := loaded(t)
	ruled, err := newToolboxes(w, Options{}).policyOf(scopeOf(w, dir, 0), []string{filepath.Join(dir, "flow.yaml")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"docs/page.md":  true,
		"src/main.go":   false,
		"flow.yaml":     false,
		".git/hooks/up": false,
		"other.txt":     false, // nobody allows it
	} {
		if got := (&workspace{policy: ruled}).mayWrite(filepath.Join(dir, path)); got != want {
			t.Errorf("%s: got %v", path, got)
		}
	}
}

func TestToolboxesAreSharedByElements(t *testing.T) {
	w, dir := loaded(t)
	boxes := newToolboxes(loadedIn(with(nil)), Options{})
	for range 3 {
		if _, err := boxes.box(t.Context(), scopeOf(w, dir, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := boxes.box(t.Context(), scopeOf(w, dir, 0)); err != nil {
		t.Fatal(err)
	}
	if len(boxes.opened) != 2 {
		t.Errorf("%d places were opened for two steps", len(boxes.opened))
	}
	if err := boxes.close(); err != nil {
		t.Error(err)
	}
	missing := scopeOf(w, filepath.Join(dir, "nosuch"), 0)
	if _, err := boxes.box(t.Context(), missing); err == nil {
		t.Error("a workspace that does not exist was opened")
	}
}

func TestProtectedFilesKnowLinks(t *testing.T) {
	w, dir := loaded(t)
	link := filepath.Join(t.TempDir(), "link.yaml")
	if err := os.Symlink(w.File, link); err != nil {
		t.Fatal(err)
	}
	linked := *w.Workflow
	linked.File = link
	files := strings.Join(filesOf(linked.Used()), "\n")
	real, err := filepath.EvalSymlinks(filepath.Join(dir, "flow.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(files, link) || !strings.Contains(files, real) {
		t.Errorf("protected: %s", files)
	}
}

// TestWordsWithoutHold: where no view can be made for commands, they run without one,
// and their words are judged as for that.
func TestWordsWithoutHold(t *testing.T) {
	for _, test := range []struct {
		limits limits
		err    error
		want   bool
	}{
		{limits{on: true, byRules: true}, nil, held.Available() == nil},
		{limits{on: true, byRules: true}, errors.New("no room"), false},
		{limits{on: true, byRules: true, landlock: true}, nil, false},
		{limits{on: true, write: [][]string{{"/x"}}}, nil, false}, // effects are not judged by rules
		{limits{}, nil, false},
	} {
		ws := &workspace{limits: test.limits, space: func() (*held.Space, error) { return nil, test.err }}
		if got := ws.held(); got != test.want {
			t.Errorf("%+v, %v: held %t, want %t", test.limits, test.err, got, test.want)
		}
	}
}
