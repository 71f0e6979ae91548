package scaffold

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write kinds.txtar from the examples")

// TestArchive holds the archive to be what the examples are.
func TestArchive(t *testing.T) {
	var want txtar.Archive
	top := filepath.Join("..", "..", "examples")
	err := filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir() && !d.Type().IsRegular():
			return err
		case strings.HasPrefix(d.Name(), ".") && d.IsDir() && file != top:
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		name, err := filepath.Rel(top, file)
		if err != nil || !slices.ContainsFunc(Kinds(), func(k Kind) bool { return k.has(filepath.ToSlash(name)) }) {
			return err
		}
		text, err := os.ReadFile(file)
		want.Files = append(want.Files, txtar.File{Name: filepath.ToSlash(name), Data: text})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("kinds.txtar", txtar.Format(&want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(txtar.Format(&want), archive) {
		t.Error("kinds.txtar is not what the examples are: go test ./internal/scaffold -update writes it anew")
	}
	for _, f := range txtar.Parse(archive).Files {
		if i := slices.IndexFunc(want.Files, func(w txtar.File) bool { return w.Name == f.Name }); i < 0 || !bytes.Equal(want.Files[i].Data, f.Data) {
			t.Errorf("%s is another file when it is read back", f.Name)
		}
	}
}

func TestWrite(t *testing.T) {
	for _, k := range Kinds() {
		dir := filepath.Join(t.TempDir(), "new")
		made, err := Write(dir, Options{Kind: k.Name, Schema: []byte("{}"), GitHub: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{k.Base + ".yaml", k.Base + ".script.yaml", k.Base + ".test.yaml", ".gitignore", schemaFile, ".github/workflows/" + k.Base + ".yaml"} {
			if !slices.Contains(made.Written, filepath.Join(dir, name)) {
				t.Errorf("%s: there is no %s in %q", k.Name, name, made.Written)
			}
		}
		text, err := os.ReadFile(filepath.Join(dir, k.Workflow()))
		if err != nil || !strings.HasPrefix(string(text), "# yaml-language-server: $schema="+schemaFile+"\nname: ") {
			t.Errorf("%s begins with %.80q: %v", k.Workflow(), text, err)
		}
		write(t, filepath.Join(dir, ".github", "workflows", k.Base+".yaml"), "mine")
		if _, err := Write(dir, Options{Kind: k.Name, GitHub: true}); err == nil || !strings.Contains(err.Error(), ".github") {
			t.Errorf("%s: the second time: %v", k.Name, err)
		}
	}
}

// TestKept: what is there is left as it is, and nothing is written beside it.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "hello.script.yaml"), "mine")
	write(t, filepath.Join(dir, ".gitignore"), "/bin\n")
	_, err := Write(dir, Options{Kind: "empty"})
	if want := filepath.Join(dir, "hello.script.yaml") + ": it exists, and is not overwritten"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if entries, err := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
	made, err := Write(dir, Options{Kind: "fix-until-green"})
	if err != nil || !slices.Equal(made.Kept, []string{filepath.Join(dir, ".gitignore")}) {
		t.Errorf("%+v, %v", made, err)
	}
}

// TestOutside: a symlink in the folder leads nowhere else.
func TestOutside(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "code-review")); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(dir, Options{Kind: "code-review"}); err == nil {
		t.Error("it writes through a symlink")
	}
	if entries, err := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestJob reads the jobs as GitHub does, and compares them with the documentation.
func TestJob(t *testing.T) {
	documented, err := os.ReadFile(filepath.Join("..", "..", "docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(documented), "- uses: "+action+"\n") {
		t.Errorf("docs/ci.md uses another version of the action than %s", action)
	}
	top := t.TempDir()
	if err := os.Mkdir(filepath.Join(top, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, k := range Kinds() {
		if _, err := Write(filepath.Join(top, "it's", "here"), Options{Kind: k.Name, GitHub: true}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(top, ".github", "workflows", k.Base+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		var job struct {
			On   map[string]any
			Jobs map[string]struct {
				RunsOn string `yaml:"runs-on"`
				Steps  []struct {
					Uses, Run string
					With      map[string]any
				}
			}
		}
		if err := yaml.Unmarshal(text, &job); err != nil {
			t.Fatalf("%s: %v\n%s", k.Name, err, text)
		}
		_, onRequest := job.On["pull_request"]
		steps := job.Jobs[k.Base].Steps
		if !onRequest || len(steps) != 3 || steps[1].Uses != action || steps[1].With["workflow"] != "it's/here/"+k.Workflow() {
			t.Errorf("%s:\n%s\nis read as %+v", k.Name, text, job)
		}
		if want := `flow test 'it'\''s/here/` + k.Base + `.test.yaml'`; len(steps) == 3 && steps[2].Run != want {
			t.Errorf("it runs %s, want %s", steps[2].Run, want)
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
