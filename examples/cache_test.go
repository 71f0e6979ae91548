package examples

import (
	"bytes"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers/providertest"
	"github.com/a-seed-11b9befa/flow/providers/script"
)

// TestDocsGenAsksForWhatChanged runs docs-gen with cache: true, again and again, in
// fresh checkouts of one folder: a second run asks nothing, and one after a change
// asks for the package that changed.
func TestDocsGenAsksForWhatChanged(t *testing.T) {
	const key = "sk-0123456789abcdef"
	asked := &counted{service: service{t: t, dialect: &providertest.Messages{}, model: played(t, "docs-gen.script.yaml")}}
	server := httptest.NewServer(asked)
	defer server.Close()
	dir, answers := clone(t, "examples"), t.TempDir()
	file := filepath.Join(dir, "examples", "docs-gen.yaml")
	write(t, filepath.Dir(file), "docs-gen.yaml", "cache: true\n"+read(t, file))
	variables := []string{"ANTHROPIC_BASE_URL=" + server.URL + "/v1", "ANTHROPIC_API_KEY=" + key, "FLOW_CACHE=" + answers}
	pages := filepath.Join(dir, "examples", "codebase-analysis", "docs")

	run := func(more ...string) (written map[string]string, stderr string, requests []string) {
		t.Helper()
		if err := os.RemoveAll(pages); err != nil {
			t.Fatal(err)
		}
		asked.begin(played(t, "docs-gen.script.yaml"))
		words := append([]string{flowProgram, "run", "examples/docs-gen.yaml", "-i", "root=examples/codebase-analysis", "--model", "anthropic/any"}, more...)
		f := startWith(t, variables, dir, words...)
		if f.code != 0 {
			t.Fatalf("exit code %d, printed %q\n%s", f.code, f.stdout, f.stderr)
		}
		return filesOf(t, pages), f.stderr, asked.begin(nil)
	}

	first, _, requests := run()
	if len(requests) == 0 || len(first) < 4 {
		t.Fatalf("%d requests, %d pages", len(requests), len(first))
	}
	second, told, again := run("--cache-only")
	if len(again) != 0 {
		t.Errorf("the second run asks %d times", len(again))
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("pages differ (-first +second):\n%s", diff)
	}
	if !strings.Contains(told, " cached") {
		t.Errorf("the second run tells nothing of it:\n%s", told)
	}
	if shown := startWith(t, nil, dir, flowProgram, "show"); !strings.Contains(shown.stdout, " cached") {
		t.Errorf("flow show tells nothing of it:\n%s", shown.stdout)
	}

	source := filepath.Join(dir, "examples", "codebase-analysis", "inventory.go")
	write(t, filepath.Dir(source), "inventory.go", read(t, source)+"\n// Added stands behind the rest.\nfunc Added() {}\n")
	_, _, changed := run()
	pagesAsked := 0
	for _, prompt := range changed {
		if strings.HasPrefix(prompt, "Write the reference page") {
			pagesAsked++
			if !strings.Contains(prompt, "Go package example.com/inventory.\n") {
				t.Errorf("another package changed, and it is asked:\n%s", prompt)
			}
		}
	}
	if pagesAsked == 0 {
		t.Error("a package changed, and nothing is asked of it")
	}
	if _, _, all := run("--no-cache"); len(all) != len(requests) {
		t.Errorf("without the cache %d requests, want %d", len(all), len(requests))
	}
	for name, content := range filesOf(t, answers) {
		if strings.Contains(content, key) {
			t.Errorf("%s has the key", name)
		}
	}
}

// A counted service keeps the first words of all conversations that it is asked in.
// It answers one request at a time.
type counted struct {
	service
	mu      sync.Mutex // of all of it
	prompts []string
}

// begin has a model answer from now on, and returns what was asked before.
func (c *counted) begin(model *script.Model) (asked []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	asked, c.prompts, c.model = c.prompts, nil, model
	return asked
}

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	asked, err := c.dialect.Read(body)
	if err != nil {
		c.t.Error(err)
		return
	}
	c.prompts = append(c.prompts, asked.Messages[0].Text())
	c.service.ServeHTTP(w, r)
}

// filesOf returns what all files of a folder hold, by their paths in it.
func filesOf(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		files[rel] = read(t, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
