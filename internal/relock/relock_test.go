package relock

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

// kept puts a recipe of one file into the cache, and gives its hash.
func kept(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, recipe.File), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	tree, err := recipe.ReadFolder(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	cache, err := recipe.CacheOf("")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cache.Put(tree); err != nil {
		t.Fatal(err)
	}
	return tree.Hash()
}

const (
	reference = "github.com/acme/recipes/notes@main"
	lacks     = "version: 3\nrecipes: []\n"
)

// lockOf is a lock that says nothing of what the recipe may do.
func lockOf(hash string) string {
	return "version: 3\nrecipes:\n- reference: " + reference + "\n  commit: " + strings.Repeat("a", 40) + "\n  hash: " + hash + "\n  authority: |\n"
}

// TestCheck has locks, as flow lock writes them and as somebody else does, and what
// a check without a network says of each.
func TestCheck(t *testing.T) {
	t.Setenv("FLOW_RECIPES", t.TempDir())
	hash := kept(t, "name: notes\nenv: [REGION]\nsteps: [{run: echo notes}]\n")
	other := kept(t, "name: notes\nsteps: [{run: echo other}]\n")
	const granted = "name: caller\nsteps: [{uses: " + reference + ", grant: {commands: true, env: [REGION]}}]\n"
	for _, tt := range []struct {
		name, workflow, lock string
		change               func(string) string // of what flow lock has written
		want                 string              // of the error; "" for none
	}{
		{"as it is written", granted, lockOf(hash), nil, ""},
		{"nothing is locked", granted, lacks, nil, "not locked: " + reference},
		{"what it may do is not said", granted, lockOf(hash), func(string) string { return lockOf(hash) }, "does not list what " + reference + " may do: environment variable: REGION"},
		{"a command is hidden", granted, lockOf(hash), replaced("echo notes", "echo nothing"), "does not list what " + reference + " may do: step \"step-1\" of flow.yaml runs: echo notes"},
		{"it may do what it does not", granted, lockOf(hash), replaced("variable: REGION\n", "variable: REGION\n    environment variable: TOKEN\n"), "lists what " + reference + " does not do: environment variable: TOKEN"},
		{"the hash of another recipe", granted, lockOf(hash), replaced(hash, other), "lists what " + reference + " does not do: environment variable: REGION"},
		{"the hash of none", granted, lockOf(hash), replaced(hash, "h1:"+strings.Repeat("A", 43)+"="), "is not on this machine"},
		{"a comment", granted, lockOf(hash), replaced("version: 3", "# safe\nversion: 3"), "is not as flow lock writes it"},
		{"a key twice", granted, lockOf(hash), replaced("  commit:", "  commit: \""+strings.Repeat("2", 40)+"\"\n  commit:"), "line 7 is not written by flow lock"},
		{"what is not granted", strings.Replace(granted, ", env: [REGION]", "", 1), lockOf(hash), nil, "needs permissions that are not granted: to read the variables REGION"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), recipe.File)
			write(t, file, tt.workflow)
			write(t, recipe.LockOf(file), tt.lock)
			if tt.lock != lacks {
				u := load(t, file)
				if err := u.Write(); err != nil {
					t.Fatal(err)
				}
			}
			if tt.change != nil {
				text, err := os.ReadFile(recipe.LockOf(file))
				if err != nil {
					t.Fatal(err)
				}
				write(t, recipe.LockOf(file), tt.change(string(text)))
			}
			u, err := Read(file, &recipe.Finder{Offline: true})
			if err == nil {
				_, err = u.Check(t.Context(), host.Environment{}, false)
			}
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// load brings a lock up to date without a network.
func load(t *testing.T, file string) *Update {
	t.Helper()
	u, err := Read(file, &recipe.Finder{Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := u.Load(t.Context(), host.Environment{}); err != nil {
		t.Fatal(err)
	}
	return u
}

// replaced is a change of a text, which has the old one.
func replaced(old, now string) func(string) string {
	return func(text string) string { return strings.Replace(text, old, now, 1) }
}

// TestPrune: what nothing uses any more goes, and what another workflow of the folder
// names, or a recipe that stays, does not.
func TestPrune(t *testing.T) {
	t.Setenv("FLOW_RECIPES", t.TempDir())
	hash := kept(t, "name: notes\nsteps: [{run: echo notes}]\n")
	dir := t.TempDir()
	file := filepath.Join(dir, recipe.File)
	write(t, file, "name: caller\nsteps: [{run: echo}]\n")
	write(t, recipe.LockOf(file), lockOf(hash))
	other := filepath.Join(dir, "other.yaml")
	write(t, other, "name: other\nsteps: [{uses: "+reference+", grant: {commands: true}}]\n")
	if text, _ := load(t, file).Changes(); strings.Contains(text, "goes") {
		t.Error(text)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	if text, wider := load(t, file).Changes(); !strings.Contains(text, reference+" is removed from ") || wider {
		t.Error(text, wider)
	}
}

// TestTooLong: what is longer than a lock is refused before anybody reads it.
func TestTooLong(t *testing.T) {
	t.Setenv("FLOW_RECIPES", t.TempDir())
	rules := "permissions: {read: {" + strings.Repeat("x", 3000) + ": allow}}\n"
	hash := kept(t, "name: notes\nmodel: openai/x\n"+rules+"steps:\n"+strings.Repeat("- {prompt: hi, tools: [read]}\n", 1500))
	file := filepath.Join(t.TempDir(), recipe.File)
	write(t, file, "name: caller\nsteps: [{uses: "+reference+"}]\n")
	write(t, recipe.LockOf(file), lockOf(hash))
	u, err := Read(file, &recipe.Finder{Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := u.Load(t.Context(), host.Environment{}); err == nil || !strings.Contains(err.Error(), "would exceed 4 MB") {
		t.Error(err)
	}
}
