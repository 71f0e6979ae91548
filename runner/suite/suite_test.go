package suite_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/suite"
)

var update = flag.Bool("update", false, "write what comes of the archives of testdata anew")

// TestSuites runs the test files of each archive of testdata. Its file out is what
// becomes of them: mistakes, or the outcome of each case, and what no case reached; in
// an archive whose name begins with update also what was written into its files.
func TestSuites(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			file, err := filepath.Abs(name)
			if err != nil {
				t.Fatal(err)
			}
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out := &archive.Files[len(archive.Files)-1]
			if out.Name != "out" {
				t.Fatal("the last file of an archive is out")
			}
			got := outcomesOf(t, archive.Files[:len(archive.Files)-1], strings.HasPrefix(filepath.Base(name), "update"))
			switch {
			case *update:
				out.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			case got != string(out.Data):
				t.Errorf("got\n%s\nwant\n%s", got, out.Data)
			}
		})
	}
}

// outcomesOf lays files out in a folder, and tells what becomes of the tests in it.
func outcomesOf(t *testing.T, files []txtar.File, update bool) string {
	here := layOut(t, files)
	var b strings.Builder
	cover := new(suite.Coverage)
	s, mistakes := suite.Load([]string{"."}, suite.Options{Cover: cover, Parallel: 1, Update: update, Observe: func(o *suite.Outcome) {
		fmt.Fprintf(&b, "%s: %s\n", o.Name, map[bool]string{true: "ok", false: "FAILED"}[o.Passed()])
		for _, f := range o.Failures {
			fmt.Fprintf(&b, "    %s", strings.ReplaceAll(strings.TrimSuffix(f.Text(), "\n"), "\n", "\n    ")+"\n")
		}
	}})
	if mistakes.HasErrors() {
		return mistakes.Error() + "\n"
	}
	defer s.Close()
	if _, err := s.Run(t.Context()); err != nil {
		fmt.Fprintln(&b, err)
	}
	b.WriteString(written(t, files))
	for _, p := range cover.Points() {
		if !p.Reached {
			fmt.Fprintf(&b, "%s: %s\n", p.Pos, p.What)
		}
	}
	covered, reached, points := cover.Files()
	for _, file := range covered {
		fmt.Fprintf(&b, "%s: %d of %d reached\n", file, reached[file], points[file])
	}
	return strings.ReplaceAll(b.String(), here, "$WORK")
}

// written are the files that are new, or are no longer as they were laid out.
func written(t *testing.T, files []txtar.File) string {
	t.Helper()
	was := map[string]string{}
	for _, f := range files {
		was[f.Name] = string(f.Data)
	}
	var b strings.Builder
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if string(data) != was[name] {
			fmt.Fprintf(&b, "written: %s\n%s", name, data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// layOut makes the current folder one of the test's own, with files.
func layOut(t *testing.T, files []txtar.File) (here string) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir()) // where the folders of cases are
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return here
}

// BenchmarkCases runs 200 cases of two turns and a call each, several at once.
func BenchmarkCases(b *testing.B) {
	b.Chdir(b.TempDir())
	b.Setenv("TMPDIR", b.TempDir())
	cases := "workflow: notes.yaml\ncases:\n"
	for i := range 200 {
		cases += fmt.Sprintf("  - name: case %d\n    inputs: {file: n%d.md}\n    expect: {status: succeeded, outputs: {said: Done.}, files: {n%d.md: \"One.\\n\"}, calls: [{tool: write, count: 1}]}\n", i, i, i)
	}
	for name, text := range map[string]string{"notes.test.yaml": cases, "notes.yaml": `name: notes
inputs: {file: {type: string}}
model: script/notes.script.yaml
permissions: {write: {"*.md": allow}}
steps:
  - {id: write, tools: [write], prompt: "${{ inputs.file }}"}
outputs: {said: "${{ steps.write.text }}"}
`, "notes.script.yaml": `steps:
  write:
    - calls: [{name: write, arguments: {filePath: "${{ prompt }}", content: "One.\n"}}]
    - text: Done.
`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		passed := 0
		s, mistakes := suite.Load([]string{"."}, suite.Options{Observe: func(o *suite.Outcome) {
			if o.Passed() {
				passed++
			}
		}})
		if mistakes.HasErrors() {
			b.Fatal(mistakes)
		}
		if _, err := s.Run(b.Context()); err != nil || passed != 200 {
			b.Fatalf("%d passed, %v", passed, err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRecipe: all that a test of a recipe names is in the recipe, or nothing is read.
func TestRecipe(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"outside.txt": "secret: [", "outside.yaml": "name: x\nsteps: [{run: echo x}]\n", "folder/a.txt": "x",
		"recipe/flow.yaml": "name: x\nsteps: [{run: echo x}]\n", "recipe/golden.txt": "x\n", "recipe/in.script.yaml": "steps: {\"*\": [{text: x}]}\n", "recipe/data/a.txt": "x",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"link.txt": "../outside.txt", "link": "..", "inner.txt": "golden.txt"} {
		if err := os.Symlink(to, filepath.Join(dir, "recipe", link)); err != nil {
			t.Fatal(err)
		}
	}
	root := filepath.Join(dir, "recipe")
	const well = "expect: {status: succeeded}"
	for _, tt := range []struct {
		name, workflow, rest, reaches string // "": all is in the recipe
	}{
		{"all inside", "flow.yaml", "model: script/in.script.yaml, files: data, expect: {text: {equals_file: inner.txt}, files: {a.txt: {equals_file: data/../none.txt}}}", ""},
		{"workflow", "../outside.yaml", well, "outside.yaml"},
		{"workflow by a link", "link/outside.yaml", well, "link/outside.yaml"},
		{"script", "flow.yaml", "model: script/../outside.txt, " + well, "outside.txt"},
		{"script by a link", "flow.yaml", "model: script/link.txt, " + well, "link.txt"},
		{"folder", "flow.yaml", "files: ../folder, " + well, "folder"},
		{"folder by a link", "flow.yaml", "files: link/folder, " + well, "link/folder"},
		{"golden", "flow.yaml", "expect: {text: {equals_file: ../outside.txt}}", "outside.txt"},
		{"golden that is not there", "flow.yaml", "expect: {text: {equals_file: ../none.txt}}", "none.txt"},
		{"golden by its whole path", "flow.yaml", "expect: {text: {equals_file: " + filepath.Join(dir, "outside.txt") + "}}", "outside.txt"},
		{"golden of a file, by a link", "flow.yaml", "expect: {files: {a.txt: {equals_file: link.txt}}}", "link.txt"},
	} {
		file := filepath.Join(root, "x.test.yaml")
		if err := os.WriteFile(file, []byte("workflow: "+tt.workflow+"\ncases:\n  - {name: x, "+tt.rest+"}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, mistakes := suite.Load([]string{file}, suite.Options{Environment: host.Environment{Fetched: func(string) string { return root }}})
		want := ""
		if tt.reaches != "" {
			want = tt.reaches + ", which is outside of its recipe"
		}
		got := ""
		if mistakes.HasErrors() {
			got = mistakes.Error()
		}
		if (got == "") != (want == "") || !strings.Contains(got, want) || strings.Contains(got, "secret") {
			t.Errorf("%s: %q, want %q", tt.name, got, want)
		}
		if _, mistakes := suite.Load([]string{file}, suite.Options{}); tt.name == "golden" && mistakes.HasErrors() {
			t.Errorf("%s: the caller's own may: %v", tt.name, mistakes)
		}
	}
}
