package examples

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

// TestManyPackages documents a module of 150 packages that was not made for it: the
// second run asks nothing, and after three packages have changed it asks for those. The
// pages are the same to the byte.
func TestManyPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("150 packages take a while")
	}
	asked := &counted{service: service{t: t, dialect: &providertest.Messages{}, model: played(t, "docs-gen.script.yaml")}}
	server := httptest.NewServer(asked)
	defer server.Close()
	dir, module := clone(t), t.TempDir()
	file := filepath.Join(dir, "examples", "docs-gen.yaml")
	write(t, filepath.Dir(file), "docs-gen.yaml", "cache: true\n"+read(t, file))
	write(t, module, "go.mod", "module example.com/many\n\ngo 1.26\n")
	source := func(i int, more string) {
		t.Helper()
		name := fmt.Sprintf("p%03d", i)
		if err := os.MkdirAll(filepath.Join(module, name), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(module, name), "p.go", fmt.Sprintf("// Package %s is number %d.\npackage %s\n\n// F%d returns it.\nfunc F%d() int { return %d }\n%s", name, i, name, i, i, i, more))
	}
	for i := range 150 {
		source(i, "")
	}
	variables := []string{"ANTHROPIC_BASE_URL=" + server.URL + "/v1", "ANTHROPIC_API_KEY=sk-0123456789abcdef", "FLOW_CACHE=" + t.TempDir()}
	pages := filepath.Join(module, "docs")
	run := func() (written map[string]string, prompts []string) {
		t.Helper()
		if err := os.RemoveAll(pages); err != nil {
			t.Fatal(err)
		}
		asked.begin(played(t, "docs-gen.script.yaml"))
		f := startWith(t, variables, dir, flowProgram, "run", file, "-i", "root="+module, "--model", "anthropic/any", "--quiet")
		if f.code != 0 {
			t.Fatalf("exit code %d\n%s%s", f.code, f.stdout, f.stderr)
		}
		return filesOf(t, pages), asked.begin(nil)
	}
	first, prompts := run()
	if len(first) != 151 || len(prompts) < 300 {
		t.Fatalf("%d pages, %d requests", len(first), len(prompts))
	}
	second, prompts := run()
	if diff := cmp.Diff(first, second); diff != "" || len(prompts) != 0 {
		t.Errorf("the second run asks %d times; pages differ (-first +second):\n%s", len(prompts), diff)
	}
	for _, i := range []int{7, 70, 149} {
		source(i, "\n// Added has come.\nfunc Added() {}\n")
	}
	_, prompts = run()
	about := map[string]bool{}
	for _, prompt := range prompts {
		if strings.HasPrefix(prompt, "Write the reference page") {
			about[strings.Fields(prompt)[8]] = true
		}
	}
	want := map[string]bool{"example.com/many/p007.": true, "example.com/many/p070.": true, "example.com/many/p149.": true}
	if diff := cmp.Diff(want, about); diff != "" {
		t.Errorf("asked for other packages than those that changed (-want +got):\n%s", diff)
	}
}
