package suite_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/a-seed-11b9befa/flow/runner/suite"
)

var update = flag.Bool("update", false, "write what comes of the archives of testdata anew")

// TestSuites runs the test files of each archive of testdata. Its file out is what
// becomes of them: mistakes, or the outcome of each case, and what no case reached.
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
			got := outcomesOf(t, archive.Files[:len(archive.Files)-1])
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
func outcomesOf(t *testing.T, files []txtar.File) string {
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
	var b strings.Builder
	cover := new(suite.Coverage)
	s, mistakes := suite.Load([]string{"."}, suite.Options{Cover: cover, Parallel: 1, Observe: func(o *suite.Outcome) {
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
		t.Fatal(err)
	}
	for _, p := range cover.Points() {
		if !p.Reached {
			fmt.Fprintf(&b, "%s: %s\n", p.Pos, p.What)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), here, "$WORK")
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
