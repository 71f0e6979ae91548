package examples

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestForeignModules runs examples on modules that were not made for them, of
// different size: dependencies of this one, which are on every machine that builds it.
// The pages are written twice in a row, and once more after a package was removed that
// others import.
func TestForeignModules(t *testing.T) {
	if testing.Short() {
		t.Skip("five runs with each of three modules")
	}
	dir := clone(t, "examples")
	workflow := func(name string) string { return filepath.Join(dir, "examples", name+".yaml") }
	for _, module := range []struct {
		path, removed string
		least         int // packages
	}{
		{"github.com/spf13/cobra", "doc", 2},
		{"github.com/sourcegraph/conc", "panics", 5},
		{"mvdan.cc/sh/v3", "syntax", 10},
	} {
		t.Run(module.path, func(t *testing.T) {
			root := foreign(t, module.path)
			run := func(name string) finished {
				t.Helper()
				return succeeds(t, dir, "run", workflow(name), "-i", "root="+root, "--quiet")
			}
			before := filesIn(t, root)
			packages := packagesOf(t, root)
			if len(packages) < module.least {
				t.Fatalf("%d packages", len(packages))
			}
			first := run("docs-gen")
			pages := filesIn(t, root)
			onlyWrote(t, before, pages, func(path string) bool { return strings.HasPrefix(path, "docs/reference/") })
			links := linksOf(pages)
			if len(links) != len(packages) || !strings.Contains(first.stdout, "missing: []\nleft_out: []\nstale: []\n") {
				t.Errorf("%d packages, and links to %q; printed\n%s", len(packages), links, first.stdout)
			}
			if f := run("docs-gen"); f.stdout != first.stdout {
				t.Errorf("the second run printed\n%s\nafter\n%s", f.stdout, first.stdout)
			}
			if diff := cmp.Diff(pages, filesIn(t, root)); diff != "" {
				t.Errorf("the second run wrote (-first +second):\n%s", diff)
			}

			if err := os.RemoveAll(filepath.Join(root, module.removed)); err != nil {
				t.Fatal(err)
			}
			gone := slices.DeleteFunc(slices.Clone(links), func(page string) bool { return !strings.HasPrefix(page, module.removed+"/") })
			f := run("docs-gen")
			if left := linksOf(filesIn(t, root)); len(gone) == 0 || len(left) != len(links)-len(gone) || slices.Contains(left, gone[0]) {
				t.Errorf("the index has %q after %q", left, links)
			}
			if stale := "stale: [\"docs/reference/" + strings.Join(gone, `","docs/reference/`) + "\"]\n"; !strings.Contains(f.stdout, "missing: []\nleft_out: []\n"+stale) {
				t.Errorf("printed\n%s\nwithout %s", f.stdout, stale)
			}
			if f := run("codebase-analysis"); !strings.Contains(f.stdout, "not_analysed: []") {
				t.Errorf("codebase-analysis printed\n%s", f.stdout)
			}
			reviewForeign(t, root, func() finished {
				return flow(t, dir, "run", workflow("code-review"), "-i", "root="+root, "-i", "base=before", "--quiet")
			})
		})
	}
}

// linksOf are the pages that the index of a reference has links to, each of which
// there is.
func linksOf(files map[string]string) (links []string) {
	for _, link := range regexp.MustCompile(`(?m)^- \[.*?\]\((.*?)\)`).FindAllStringSubmatch(files["docs/reference/index.md"], -1) {
		if files["docs/reference/"+link[1]] != "" {
			links = append(links, link[1])
		}
	}
	return links
}

// reviewForeign makes a repository of a module, changes a file of it, and reviews that.
func reviewForeign(t *testing.T, root string, review func() finished) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Log("no git here to make a repository with")
		return
	}
	goFiles := slices.DeleteFunc(slices.Sorted(maps.Keys(filesIn(t, root))), func(path string) bool {
		return !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go")
	})
	out, err := exec.Command("bash", "-ec", `cd "$1"
git init -q; git config user.name Ada; git config user.email ada@example.com; git config commit.gpgsign false
git add -A; git commit -qm before; git tag before
echo 'var dropped, _ = strconv.Atoi("x")' >>"$2"; git commit -qam after`, "bash", root, goFiles[0]).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f := review()
	if f.code != 1 || strings.Count(f.stdout, "(blocking)") != 1 || !strings.Contains(f.stdout, goFiles[0]) {
		t.Errorf("code-review: exit code %d, printed\n%s%s", f.code, f.stdout, f.stderr)
	}
}

// foreign is a copy of a module that this one depends on.
func foreign(t *testing.T, path string) string {
	t.Helper()
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path)
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	from, to := strings.TrimSpace(string(out)), t.TempDir()
	for name, text := range filesIn(t, from) {
		if err := os.MkdirAll(filepath.Join(to, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(to, filepath.Dir(name)), filepath.Base(name), text)
	}
	return to
}
