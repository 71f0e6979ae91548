package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

// heldWork is what elements do side by side, and one step after the other, with
// nothing said of a sandbox.
const heldWork = `name: work
permissions: {bash: allow}
steps:
  - {id: own, foreach: "${{ 1..8 }}", max_parallel: 8, tool: bash, with: {description: x, command: "echo ${{ item }} > own-${{ item }}; echo all > all"}}
  - {id: one, foreach: "${{ 1..8 }}", max_parallel: 8, on_error: continue, tool: bash, with: {description: x, command: "sleep 1; echo ${{ item }} > mine-${{ item }}; echo ${{ item }} > one"}}
  - {id: many, tool: bash, with: {description: x, command: "mkdir many && cd many && seq 10000 | split -l 1 -a 4 - f"}}
  - {id: tree, tool: bash, with: {description: x, command: "rm -rf tree"}}
  - {id: commit, tool: bash, with: {description: x, command: "git add go.mod x.go x_test.go && git commit -qm one"}}
`

// TestHeldWork: ordinary work comes out right where commands are held: elements side
// by side that write different files and the same, many files, a tree that goes,
// commits, tests, packages from a registry and virtual environments.
func TestHeldWork(t *testing.T) {
	t.Parallel()
	if err := held.Available(); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	if testing.Short() {
		t.Skip("compilers and installers take their time")
	}
	flow, err := exec.LookPath("flow")
	check(t, err)
	base, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	s := stage{base: base, level: findingLevel{program: flow}}
	for name, text := range map[string]string{
		"work/tree/a/b/c": "c", "work/go.mod": "module x\n\ngo 1.24\n", "work/x.go": "package x\n", "work/x_test.go": "package x\n\nimport \"testing\"\n\nfunc TestX(*testing.T) {}\n",
		"tmp/x": "", "home/.gitconfig": "[user]\nname = a\nemail = a@b.c\n",
	} {
		check(t, errorsOf(os.MkdirAll(filepath.Dir(filepath.Join(base, name)), 0o755), os.WriteFile(filepath.Join(base, name), []byte(text), 0o644)))
	}
	if caches, err := os.UserCacheDir(); err == nil { // so that not all of Go is compiled
		check(t, errorsOf(os.MkdirAll(caches, 0o755), os.Symlink(caches, filepath.Join(base, "home", ".cache"))))
	}
	registry := httptest.NewServer(npmRegistry(t))
	defer registry.Close()
	workflow, wanted := heldWork, []string{"own-1", "own-8", "all", "one", "many/faaaa", ".git/refs/heads/main"}
	add := func(program, command string, want ...string) {
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("SKIPPED: %s: %v", command, err)
			return
		}
		workflow += fmt.Sprintf("  - {tool: bash, with: {description: x, command: %q}}\n", command)
		wanted = append(wanted, want...)
	}
	add("go", "go test ./... && go vet ./...")
	add("npm", "npm install --no-audit --no-fund --registry "+registry.URL+" flow-tried && node -e 'require(\"flow-tried\")'", "package-lock.json", "node_modules/flow-tried/index.js")
	add("python3", "python3 -m venv venv && venv/bin/python3 -c 'print(1)'", "venv/bin/python3")
	check(t, os.WriteFile(filepath.Join(base, "work", "flow.yaml"), []byte(workflow), 0o600))
	if out, err := s.run("git", "init", "-q", "-b", "main"); err != nil {
		t.Skipf("SKIPPED: git: %v %s", err, out)
	}
	out, err := s.run(flow, "run", "flow.yaml", "--run-dir", filepath.Join(base, "run"))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, path := range wanted {
		if _, err := os.Lstat(filepath.Join(base, "work", path)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(filepath.Join(base, "work", "tree")); err == nil {
		t.Error("the tree is still there")
	}
	first, err := os.ReadFile(filepath.Join(base, "work", "one"))
	check(t, err)
	mine, _ := filepath.Glob(filepath.Join(base, "work", "mine-*"))
	landed := false
	for _, path := range mine { // who has not landed the one has landed nothing
		landed = landed || filepath.Base(path) == "mine-"+strings.TrimSpace(string(first))
	}
	if !landed || len(mine) == 8 {
		t.Errorf("the one file is of %q, and landed have %q", first, mine)
	}
	left, err := exec.Command("find", filepath.Join(base, "home"), "!", "-type", "d", "!", "-name", ".gitconfig", "!", "-name", ".cache").Output()
	if err != nil || len(left) > 0 {
		t.Errorf("left at home: %s %v", left, err)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// npmRegistry has one package.
func npmRegistry(t *testing.T) http.Handler {
	var text bytes.Buffer
	zipped := gzip.NewWriter(&text)
	archive := tar.NewWriter(zipped)
	for name, content := range map[string]string{"package/package.json": `{"name": "flow-tried", "version": "1.0.0"}`, "package/index.js": "module.exports = 1\n"} {
		check(t, archive.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}))
		_, err := archive.Write([]byte(content))
		check(t, err)
	}
	check(t, errorsOf(archive.Close(), zipped.Close()))
	short, long := sha1.Sum(text.Bytes()), sha512.Sum512(text.Bytes())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/flow-tried":
			_ = json.NewEncoder(w).Encode(map[string]any{
				"name": "flow-tried", "dist-tags": map[string]string{"latest": "1.0.0"},
				"versions": map[string]any{"1.0.0": map[string]any{"name": "flow-tried", "version": "1.0.0", "dist": map[string]string{
					"tarball": "http://" + r.Host + "/tried.tgz", "shasum": fmt.Sprintf("%x", short), "integrity": "sha512-" + base64.StdEncoding.EncodeToString(long[:]),
				}}},
			})
		case "/tried.tgz":
			_, _ = w.Write(text.Bytes())
		default:
			http.NotFound(w, r)
		}
	})
}
