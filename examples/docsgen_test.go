package examples

import (
	"encoding/json"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readmeDocsGen is the README's first command for those who have cloned the module.
const readmeDocsGen = "go run ./cmd/flow run examples/docs-gen.yaml"

// TestDocsGen runs the README's command on this module, and compares the pages with
// what go/parser finds in the code.
func TestDocsGen(t *testing.T) {
	dir := clone(t, ".")
	before := filesIn(t, dir)
	f := succeeds(t, dir, strings.Fields(strings.TrimPrefix(readmeDocsGen, "go run ./cmd/flow "))...)
	after := filesIn(t, dir)
	onlyWrote(t, before, after, func(path string) bool { return strings.HasPrefix(path, "docs/reference/") })

	packages := packagesOf(t, dir)
	if len(packages) < 5 {
		t.Fatalf("the module has %d packages", len(packages))
	}
	index := after["docs/reference/index.md"]
	for path, folder := range packages {
		page := filepath.ToSlash(filepath.Join("docs/reference", folder, "README.md"))
		if !strings.Contains(index, "("+strings.TrimPrefix(page, "docs/reference/")+")") {
			t.Errorf("the index has no link to %s", page)
		}
		checkPage(t, page, after[page], path, filepath.Join(dir, folder))
	}
	r, _ := lastRun(t, dir)
	if got := int(r.Outputs["pages"].(float64)); got != len(packages) {
		t.Errorf("%d pages of %d packages\n%s%s", got, len(packages), f.stdout, f.stderr)
	}
}

// TestDocsGenAgain runs the workflow a second time, after a package was removed
// and another one has come that imports what can't be found.
func TestDocsGenAgain(t *testing.T) {
	dir := clone(t, "examples")
	root := filepath.Join(dir, "examples", "codebase-analysis")
	succeeds(t, dir, "run", "examples/docs-gen.yaml", "-i", "root=examples/codebase-analysis")
	if err := os.RemoveAll(filepath.Join(root, "web")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "broken"), 0o777); err != nil {
		t.Fatal(err)
	}
	const broken = "// Package broken needs what nobody has.\npackage broken\n\nimport _ \"example.invalid/nowhere\"\n"
	if err := os.WriteFile(filepath.Join(root, "broken", "broken.go"), []byte(broken), 0o666); err != nil {
		t.Fatal(err)
	}
	f := succeeds(t, dir, "run", "examples/docs-gen.yaml", "-i", "root=examples/codebase-analysis")
	const want = "index: docs/reference/index.md\npages: 3\nsymbols: 4\nmissing: []\nleft_out: []\nstale: [\"docs/reference/web/README.md\"]\n"
	if f.stdout != want {
		t.Errorf("printed %q, want %q", f.stdout, want)
	}
	index := read(t, root, "docs/reference/index.md")
	if strings.Contains(index, "web") || !strings.Contains(index, "(broken/README.md)") {
		t.Errorf("the index has what was removed, or lacks what has come:\n%s", index)
	}
}

// TestDocsGenBelow: the pages of a folder that is not the module's own are those of the
// packages below it, also where a name above it has a letter of two bytes.
func TestDocsGenBelow(t *testing.T) {
	dir := clone(t, "examples")
	if err := os.Rename(filepath.Join(dir, "examples", "codebase-analysis"), filepath.Join(dir, "ä")); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "ä", "below")
	if err := os.MkdirAll(filepath.Join(root, "deep"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, root, "a.go", "// Package a is above.\npackage a\n\n// Above is above.\nfunc Above() {}\n")
	write(t, filepath.Join(root, "deep"), "deep.go", "// Package deep is below.\npackage deep\n\n// Below is below.\nfunc Below() {}\n")
	succeeds(t, dir, "run", "examples/docs-gen.yaml", "-i", "root="+root)
	checkPage(t, "the page above", read(t, root, "docs/reference/README.md"), "example.com/inventory/below", root)
	checkPage(t, "the page below", read(t, root, "docs/reference/deep/README.md"), "example.com/inventory/below/deep", filepath.Join(root, "deep"))
}

// TestDocsGenRules asks what the workflow's models may write.
func TestDocsGenRules(t *testing.T) {
	for _, test := range []struct{ step, tool, argument, want string }{
		{"pages", "write", "docs/reference/tools/README.md", "allow"},
		{"pages", "write", "README.md", "deny"},
		{"pages", "write", "docs/reference/../language.md", "deny"},
		{"pages", "read", "go.mod", "allow"},
		{"pages", "read", "workflows/testdata/x.yaml", "deny"},
		{"pages", "go_doc", `{"folder": "./tools"}`, "allow"},
		{"pages", "bash", "ls", "deny"},
		{"index", "write", "docs/reference/index.md", "allow"},
		{"index", "write", "docs/reference/tools/README.md", "deny"},
	} {
		t.Run(test.step+" "+test.tool+" "+test.argument, func(t *testing.T) {
			f := succeeds(t, "..", "explain", "examples/docs-gen.yaml", "--step", test.step, test.tool, test.argument)
			if got, _, _ := strings.Cut(f.stdout, "\n"); got != test.want {
				t.Errorf("%s, want %s", f.stdout, test.want)
			}
		})
	}
}

// packagesOf lists the packages of a module that are more than tests: import
// path to folder.
func packagesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles", "./...")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); decoder.More(); {
		var p struct {
			ImportPath, Dir string
			GoFiles         []string
		}
		if err := decoder.Decode(&p); err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles) == 0 {
			continue
		}
		if packages[p.ImportPath], err = filepath.Rel(real, p.Dir); err != nil {
			t.Fatal(err)
		}
	}
	return packages
}

// checkPage compares a page with the code of its package.
func checkPage(t *testing.T, name, page, path, folder string) {
	t.Helper()
	if !strings.Contains(page, path) {
		t.Errorf("%s does not name the package %s:\n%.300s", name, path, page)
	}
	for exported, text := range exportedOf(t, folder) {
		if !regexp.MustCompile(`\b` + exported + `\b`).MatchString(page) {
			t.Errorf("%s does not tell of %s", name, exported)
		}
		if first, _, _ := strings.Cut(text, "\n"); !strings.Contains(plain(page), plain(first)) {
			t.Errorf("%s: of %s it does not say %q", name, exported, first)
		}
	}
}

// plain leaves out of a comment what go doc leaves out: marks and line breaks.
func plain(text string) string {
	text = strings.NewReplacer("[", "", "]", "", "`", "").Replace(text)
	return strings.Join(strings.Fields(text), " ")
}

// exportedOf returns the exported types and functions of a package, each with
// its comment.
func exportedOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	set := token.NewFileSet()
	p, err := build.ImportDir(folder, 0)
	if err != nil {
		t.Fatal(err)
	}
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(set, filepath.Join(folder, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	found, err := doc.NewFromFiles(set, parsed, p.ImportPath)
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]string{}
	if p.Name == "main" {
		return exported
	}
	for _, f := range found.Funcs {
		exported[f.Name] = f.Doc
	}
	for _, typ := range found.Types {
		exported[typ.Name] = typ.Doc
		for _, f := range append(typ.Funcs, typ.Methods...) {
			exported[f.Name] = f.Doc
		}
	}
	return exported
}
