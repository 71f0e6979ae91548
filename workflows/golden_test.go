package workflows

import (
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/internal/known"
)

var update = flag.Bool("update", false, "write what comes out as what is expected")

// in gives options whose files are those of a folder.
func in(folder string) Options {
	return Options{
		ReadFile: func(path string) ([]byte, error) { return os.ReadFile(filepath.Join(folder, path)) },
		Tools:    builtInTools(), Providers: builtInProviders(), Models: []string{"openai/gpt-5", "openai/gpt-5-mini"},
		HasToken: func(text string) bool { return strings.Contains(text, "ghp_") },
		Denied:   withoutRule,
	}
}

// builtInProviders are some that files in testdata name.
func builtInProviders() []string {
	return []string{"openai", "openai-chat", "azure", "anthropic", "google", "openrouter", "ollama"}
}

// TestRight shows that the files in testdata/ok have no mistakes.
func TestRight(t *testing.T) {
	for _, file := range yamlFiles(t, "testdata/ok") {
		t.Run(file, func(t *testing.T) {
			ds := load(file, in("testdata/ok"))
			for _, d := range ds {
				t.Error(d.Render())
			}
		})
	}
}

// TestWrong compares what is said of the files in testdata/err with the .out
// beside each.
func TestWrong(t *testing.T) {
	for _, file := range yamlFiles(t, "testdata/err") {
		t.Run(file, func(t *testing.T) {
			ds := load(file, in("testdata/err"))
			if !ds.HasErrors() {
				t.Error("no error was found")
			}
			golden(t, filepath.Join("testdata/err", strings.TrimSuffix(file, ".yaml")+".out"), rendered(ds))
		})
	}
}

// TestMistakes compares what is said of the mistakes that people make with the .out
// beside each file in testdata/mistakes: words and habits of other tools, slips of
// YAML, and what is easily left out. Some are no errors.
func TestMistakes(t *testing.T) {
	for _, file := range yamlFiles(t, "testdata/mistakes") {
		t.Run(file, func(t *testing.T) {
			ds := load(file, in("testdata/mistakes"))
			if len(ds) == 0 {
				t.Error("nothing was found")
			}
			golden(t, filepath.Join("testdata/mistakes", strings.TrimSuffix(file, ".yaml")+".out"), rendered(ds))
		})
	}
}

// rendered gives all diagnostics as they are shown.
func rendered(ds Diagnostics) string {
	var out strings.Builder
	for _, d := range ds {
		out.WriteString(d.Render() + "\n")
	}
	return out.String()
}

// load reads a workflow, or by its name a scripted model or a file of tests.
func load(file string, opts Options) Diagnostics {
	src, err := opts.ReadFile(file)
	var ds Diagnostics
	switch {
	case err != nil:
		ds = Diagnostics{unreadable(file, err.Error())}
	case strings.HasSuffix(file, ".script.yaml"):
		_, ds = ParseScript(file, src)
	default:
		_, ds = Load(file, opts)
	}
	return ds
}

func yamlFiles(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	for i, file := range files {
		files[i] = filepath.Base(file)
	}
	return files
}

// golden compares a text with a file, or writes the file with -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// withoutRule stands in for the engine of package host: a tool is denied that no rule allows, unless it only
// reads, or is the file's own and no rule names it.
func withoutRule(w *Workflow, own Permissions, tools []string) (denied []string) {
	for _, name := range tools {
		ruled := cmp.Or(known.RuledBy(name), name)
		rules := slices.Concat(w.Permissions[ruled], own[ruled])
		isOwn := known.RuledBy(name) == "" && (w.CustomTools[name] != nil || slices.Contains(w.ToolNames, name))
		switch {
		case ruled == "read", isOwn && len(rules) == 0, strings.Contains(name, "*"):
		case !slices.ContainsFunc(rules, func(r Rule) bool { return r.Decision != "deny" }):
			denied = append(denied, name)
		}
	}
	return denied
}
