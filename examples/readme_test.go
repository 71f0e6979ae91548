package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestReadmeWorkflow compares the workflow that the README shows with the file
// that it names.
func TestReadmeWorkflow(t *testing.T) {
	shown := blocksOf(t, "../README.md", "yaml")[0].text
	if got := read(t, "outline.yaml"); got != shown {
		t.Errorf("examples/outline.yaml is\n%s\nand the README shows\n%s", got, shown)
	}
}

// TestReadmeCommands runs every command of the README. What would need a
// network or a key is tried as far as it goes without.
func TestReadmeCommands(t *testing.T) {
	dir := clone(t, "examples")
	for _, b := range blocksOf(t, "../README.md", "console") {
		for _, c := range commandsOf(b) {
			t.Run(c.line, func(t *testing.T) { readmeCommand(t, dir, c) })
		}
	}
}

func readmeCommand(t *testing.T, dir string, c command) {
	words := strings.Fields(c.line)
	switch {
	case c.line == "go test ./...":
		// This test is a part of it.
	case c.line == readmeDocsGen:
		// TestDocsGen runs it, with the program that TestMain has built.
	case c.line == "go install github.com/a-seed-11b9befa/flow/cmd/flow@latest":
		if f := start(t, "..", "go", "list", "-f", "{{.Name}} {{.ImportPath}}", "./cmd/flow"); f.stdout != "main github.com/a-seed-11b9befa/flow/cmd/flow\n" {
			t.Errorf("./cmd/flow is %q", f.stdout)
		}
	case c.line == "export OPENAI_API_KEY=…":
	case strings.Contains(c.line, "--model openai"):
		variables := []string{"OPENAI_API_KEY=none"}
		for ; strings.Contains(words[0], "="); words = words[1:] {
			variables = append(variables, words[0])
		}
		f := startWith(t, variables, dir, append([]string{flowProgram}, append(words[1:], "--dry-run")...)...)
		if f.code != 0 || !strings.Contains(f.stdout, "model: "+words[len(words)-1]) {
			t.Errorf("exit code %d\n%s%s", f.code, f.stdout, f.stderr)
		}
	case words[0] == "flow":
		compareOutput(t, flow(t, dir, words[1:]...), c)
	default:
		t.Error("no test knows this command")
	}
}

// TestPermissionsPage runs the commands of the page on permissions with the
// workflow that it shows.
func TestPermissionsPage(t *testing.T) {
	const page = "../docs/permissions.md"
	dir := t.TempDir()
	source := blocksOf(t, page, "yaml")[0].text
	if err := os.WriteFile(filepath.Join(dir, "notes.yaml"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, b := range blocksOf(t, page, "console") {
		for _, c := range commandsOf(b) {
			t.Run(c.line, func(t *testing.T) { compareOutput(t, flow(t, dir, splitWords(c.line)[1:]...), c) })
		}
	}
}

// compareOutput compares what a program printed with what a page shows, but for
// times, ids, and the order of what happens side by side.
func compareOutput(t *testing.T, f finished, c command) {
	t.Helper()
	got, want := comparable(f.stderr+f.stdout), comparable(c.output)
	if !slices.Equal(got, want) {
		t.Errorf("it printed\n%s\nand the page shows\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if f.code != 0 {
		t.Errorf("exit code %d", f.code)
	}
}

func comparable(text string) []string {
	for _, r := range []struct{ pattern, with string }{
		{`\d{8}-\d{6}-[a-z0-9]{4}`, "RUN"},
		{`\d+\.\d+s`, "TIME"},
		{`flow-test-\d+`, "flow-test-N"},
		{`(?m)^path: +.*/`, "path: …/"},
	} {
		text = regexp.MustCompile(r.pattern).ReplaceAllString(text, r.with)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	slices.Sort(lines)
	return lines
}

// TestGo compares the pieces of Go of the pages with the files that have them
// whole, which are compiled and run.
func TestGo(t *testing.T) {
	var whole string
	for _, file := range []string{"library_test.go", "../runner/host/example_test.go", "../tools/example_test.go",
		"../workflows/example_test.go", "../providers/anthropic/example_test.go"} {
		whole += unindented(read(t, file))
	}
	for _, page := range []string{"../README.md", "../docs/library.md"} {
		for _, b := range blocksOf(t, page, "go") {
			if !strings.Contains(whole, unindented(b.text)) {
				t.Errorf("%s:%d: no example has\n%s", page, b.line, b.text)
			}
		}
	}
}

func unindented(text string) string {
	return regexp.MustCompile(`(?m)^\t+`).ReplaceAllString(text, "")
}
