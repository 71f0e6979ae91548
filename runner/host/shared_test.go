package host

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers/cache"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/journal/journaltest"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// The same name is another model in another workflow, and the same one in the same; how
// much it takes is what its provider says, else what is known of it.
func TestModelsOfTwoWorkflows(t *testing.T) {
	one := &workflows.Workflow{File: "one.yaml", Providers: map[string]workflows.Endpoint{
		"house":  {API: apiChat, BaseURL: "https://one.example/v1", Context: 12_345},
		"openai": {API: apiResponses, BaseURL: "https://api.openai.com/v1"},
	}}
	two := &workflows.Workflow{File: "two.yaml", Providers: map[string]workflows.Endpoint{"house": {API: apiChat, BaseURL: "https://two.example/v1"}}}
	m := NewModels(with(nil))
	first, err := m.find("house/small", one, true, false)
	if err != nil {
		t.Fatal(err)
	}
	again, err := m.find("house/small", one, true, false)
	if err != nil || again != first {
		t.Errorf("another model for the same workflow, %v", err)
	}
	other, err := m.find("house/small", two, true, false)
	if err != nil || other == first {
		t.Errorf("the model of another workflow, %v", err)
	}
	known, err := m.find("openai/gpt-5", one, true, false)
	if err != nil {
		t.Fatal(err)
	}
	got := []int64{first.Info().Context, other.Info().Context, known.Info().Context}
	if diff := cmp.Diff([]int64{12_345, 0, 400_000}, got); diff != "" {
		t.Errorf("lengths (-want +got):\n%s", diff)
	}
}

// A warning is given once, however many elements have it; another one is given.
func TestWarningsAreGivenOnce(t *testing.T) {
	b := newToolboxes(loadedIn(with(nil)), Options{})
	var told []string
	b.say = func(message string) { told = append(told, message) }
	for _, message := range []string{"a", "b", "a", "a", "b"} {
		b.warnOnce(message)
	}
	if diff := cmp.Diff([]string{"a", "b"}, told); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// What is kept from commands are the records of runs that have ended: not those of the
// run itself, nor of one that a process works in.
func TestRecordsOfRunsThatHaveEnded(t *testing.T) {
	workspace, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	runs := filepath.Join(workspace, RunsFolder)
	for _, id := range []string{"ended", "own", "busy"} {
		journaltest.Write(t, filepath.Join(runs, id), `{"kind":"run","version":1,"data":{"run_id":"`+id+`","steps":[],"inputs":{}}}`+"\n")
	}
	busy, err := journal.Open(filepath.Join(runs, "busy"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	keeper := new(toolboxes).keeperOf(runner.ToolScope{Workspace: workspace, Run: filepath.Join(runs, "own")}, []string{"/flow.yaml"})
	if diff := cmp.Diff([]string{"/flow.yaml", filepath.Join(workspace, "HEAD"), filepath.Join(runs, "ended")}, keeper.Files()); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// A run that asks no model removes none of the answers that it lives on, however old. One
// that does looks for old ones once, however many steps ask for the store.
func TestAnswersThatAreNotUsed(t *testing.T) {
	l := loadedAs(&workflows.Workflow{File: "flow.yaml"}, nil)
	for _, only := range []bool{true, false} {
		dir := t.TempDir()
		if _, err := cache.Open(dir, cache.Options{}); err != nil {
			t.Fatal(err)
		}
		old := filepath.Join(dir, "aa", "aa00-a")
		long := time.Now().Add(-2 * maxUnused)
		open := l.cache(Cache{Dir: dir, Only: only}).Open
		for i := range 2 {
			for _, err := range []error{os.MkdirAll(filepath.Dir(old), 0o700), os.WriteFile(old, []byte("{}"), 0o600), os.Chtimes(old, long, long)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			if _, err := open(); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(old); (err == nil) != (only || i > 0) {
				t.Errorf("only what is kept %v, opened %d times: the old answer: %v", only, i+1, err)
			}
		}
	}
}
