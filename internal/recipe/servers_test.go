package recipe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
)

// A gitServer is a repository, and an address on this machine that serves it.
type gitServer struct {
	dir     string // of the work tree
	url     string // git+http://…
	handler http.Handler
}

// newGitServer serves a repository by git's own program.
func newGitServer(t *testing.T) *gitServer {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Skip("SKIPPED: there is no git")
	}
	backend := filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("SKIPPED: git has no http-backend here")
	}
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
	} {
		t.Setenv(name, value)
	}
	s := &gitServer{dir: filepath.Join(t.TempDir(), "recipes")}
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.git(t, "init", "-q", "-b", "main")
	s.handler = &cgi.Handler{
		Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(s.dir), "GIT_HTTP_EXPORT_ALL=1"},
		InheritEnv: []string{"HOME", "GIT_CONFIG_NOSYSTEM"}, Logger: log.New(io.Discard, "", 0), Stderr: io.Discard,
	}
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	s.url = "git+" + server.URL + "/recipes"
	return s
}

func (s *gitServer) git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files, and gives the commit.
func (s *gitServer) commit(t *testing.T, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(s.dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	s.git(t, "add", "-A")
	s.git(t, "commit", "-q", "--allow-empty", "-m", "x")
	return s.git(t, "rev-parse", "HEAD")
}

func parsed(t *testing.T, text string) Reference {
	t.Helper()
	r, ok, err := Parse(text)
	if !ok || err != nil {
		t.Fatalf("%s: %v, %v", text, ok, err)
	}
	return r
}

// hinted is an error with its hint.
func hinted(err error) string {
	var hint *HintedError
	if !errors.As(err, &hint) {
		return fmt.Sprint(err)
	}
	return err.Error() + "; " + hint.Hint()
}

// TestGitOverHTTP: tags, branches and commits are resolved and fetched, a folder of
// the repository alone, over http and by file alike.
func TestGitOverHTTP(t *testing.T) {
	s := newGitServer(t)
	first := s.commit(t, map[string]string{"review/flow.yaml": "name: one\n", "review/sub/a.md": "a", "other/flow.yaml": "name: other\n"})
	s.git(t, "tag", "-a", "-m", "x", "v1.0.0")
	second := s.commit(t, map[string]string{"review/flow.yaml": "name: two\n"})
	s.git(t, "branch", "feature/x")
	ctx := t.Context()
	for _, base := range []string{s.url, "git+file://" + s.dir} {
		for version, want := range map[string]string{"v1.0.0": first, "main": second, "feature/x": second, first: first} {
			r := parsed(t, base+"//review@"+version)
			at, err := Resolve(ctx, r)
			if err != nil || at != want {
				t.Fatalf("%s is %s, %v; want %s", r.Text, at, err, want)
			}
			tree, err := Fetch(ctx, r, at)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(tree.Names(), []string{"flow.yaml", "sub/a.md"}) {
				t.Errorf("%s has %v", r.Text, tree.Names())
			}
		}
		if _, err := Resolve(ctx, parsed(t, base+"//review")); err == nil || !strings.Contains(err.Error(), "has no version") {
			t.Error(err)
		}
		if _, err := Resolve(ctx, parsed(t, base+"//review@nowhere")); hinted(err) != `there is no tag, branch or commit "nowhere" in `+strings.TrimPrefix(base, "git+")+`; known: "feature/x", "main", "v1.0.0"` {
			t.Error(hinted(err))
		}
		if _, err := Resolve(ctx, parsed(t, base+"//review@v1.1.0")); !strings.HasSuffix(hinted(err), `; did you mean "v1.0.0"?`) {
			t.Error(hinted(err))
		}
		if _, err := Fetch(ctx, parsed(t, base+"//reviews@main"), second); !strings.HasSuffix(hinted(err), `there is no folder reviews at `+second+`; did you mean "review"?`) {
			t.Error(hinted(err))
		}
		if _, err := Fetch(ctx, parsed(t, base+"//review/x.yaml@main"), second); err == nil || !strings.Contains(err.Error(), "has no x.yaml") {
			t.Error(err)
		}
		if _, err := Fetch(ctx, parsed(t, base+"//review@main"), strings.Repeat("1", 40)); err == nil {
			t.Error("a commit that does not exist was fetched")
		}
	}
}

// TestHostileGit: attributes, hooks, filters, configuration and LFS of a repository
// run nothing; submodules and links that lead out are refused.
func TestHostileGit(t *testing.T) {
	s := newGitServer(t)
	ran := filepath.Join(t.TempDir(), "ran")
	touch := "touch '" + ran + "'"
	s.commit(t, map[string]string{
		"flow.yaml":      "name: x\n",
		"a.bin":          "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
		".gitattributes": "* filter=evil diff=evil merge=evil export-subst ident text eol=crlf\n*.bin filter=lfs\n*.md export-ignore\n",
		"a.md":           "$Format:%H$ $Id$\n",
		".lfsconfig":     "[lfs]\nurl = http://127.0.0.1:1/\n",
	})
	for _, name := range []string{"post-checkout", "post-merge", "reference-transaction", "pre-auto-gc", "pre-commit"} {
		if err := os.WriteFile(filepath.Join(s.dir, ".git/hooks", name), []byte("#!/bin/sh\n"+touch+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, setting := range [][2]string{
		{"filter.evil.smudge", touch}, {"filter.evil.process", touch}, {"core.fsmonitor", touch}, {"core.sshCommand", touch},
		{"uploadpack.packObjectsHook", touch}, {"core.alternateRefsCommand", touch},
	} {
		s.git(t, "config", setting[0], setting[1])
	}
	s.git(t, "config", "--global", "filter.lfs.smudge", touch)
	if err := os.RemoveAll(ran); err != nil { // preparing it may have run it
		t.Fatal(err)
	}
	for _, base := range []string{s.url, "git+file://" + s.dir} {
		r := parsed(t, base+"@main")
		at, err := Resolve(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := Fetch(t.Context(), r, at)
		if err != nil {
			t.Fatal(err)
		}
		if data, _ := tree.Data("flow.yaml"); string(data) != "name: x\n" {
			t.Errorf("a filter changed %q", data)
		}
		if data, _ := tree.Data("a.bin"); !strings.HasPrefix(string(data), "version https://git-lfs") {
			t.Errorf("LFS fetched %q", data)
		}
		if data, _ := tree.Data("a.md"); string(data) != "$Format:%H$ $Id$\n" {
			t.Errorf("attributes changed %q", data)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("something of the repository ran")
	}

	for _, section := range []string{"filter.evil", "core"} { // for what is written here
		s.git(t, "config", "--remove-section", section)
	}
	first := s.git(t, "rev-parse", "HEAD")
	for _, tt := range []struct{ mode, object, want string }{
		{"160000", first, "or a submodule"},
		{"120000", s.object(t, "../../etc/passwd"), "leads out of the recipe"},
		{"120000", s.object(t, "/etc/passwd"), "leads out of the recipe"},
	} {
		s.git(t, "update-index", "--add", "--cacheinfo", tt.mode+","+tt.object+",evil")
		commit := s.git(t, "commit-tree", "-p", first, "-m", "x", s.git(t, "write-tree"))
		s.git(t, "update-ref", "refs/heads/evil", commit)
		if _, err := Fetch(t.Context(), parsed(t, s.url+"@evil"), commit); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

// object writes a blob.
func (s *gitServer) object(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "blob")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return s.git(t, "hash-object", "-w", "--no-filters", path)
}

// newRegistry is a registry on this machine, as around shows it; nil shows it as it is.
func newRegistry(t *testing.T, around func(real http.Handler) http.HandlerFunc) string {
	t.Helper()
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	if around != nil {
		handler = around(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return "oci://" + strings.TrimPrefix(server.URL, "http://")
}

func treeOf(t *testing.T, files map[string]string) *Tree {
	t.Helper()
	tree := &Tree{}
	for name, text := range files {
		if err := tree.add(name, strings.HasSuffix(name, ".sh"), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return tree
}

// TestRegistry: what is pushed comes back by tag and by digest, and is the same each
// time.
func TestRegistry(t *testing.T) {
	at := newRegistry(t, nil) + "/recipes/review"
	tree := treeOf(t, map[string]string{"flow.yaml": "name: x\n", "a/run.sh": "echo\n"})
	ctx := t.Context()
	digest, err := Push(ctx, parsed(t, at+":v1"), tree)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if again, err := Push(ctx, parsed(t, at+":v2"), tree); err != nil || again != digest {
			t.Errorf("%s, %v; want %s", again, err, digest)
		}
	}
	for _, text := range []string{at + ":v1", at + "@" + digest} {
		r := parsed(t, text)
		found, err := Resolve(ctx, r)
		if err != nil || found != digest {
			t.Fatalf("%s is %s, %v", text, found, err)
		}
		back, err := Fetch(ctx, r, found)
		if err != nil || back.Hash() != tree.Hash() {
			t.Fatalf("%s: %v", text, err)
		}
	}
	if _, err := Resolve(ctx, parsed(t, at)); err == nil || !strings.Contains(err.Error(), "has no version") {
		t.Error(err)
	}
	if _, err := Resolve(ctx, parsed(t, at+":v9")); err == nil || !strings.Contains(err.Error(), "the registry has none") {
		t.Error(err)
	}
	if _, err := Push(ctx, parsed(t, at+"@"+digest), tree); err == nil {
		t.Error("a recipe was pushed to a digest")
	}
}

// TestRegistryThatLies: another manifest or another archive than the digest says, and
// another kind of artefact, are refused.
func TestRegistryThatLies(t *testing.T) {
	var lie string // the part of the path that is answered wrong
	at := newRegistry(t, func(real http.Handler) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if lie == "" || r.Method != http.MethodGet || !strings.Contains(r.URL.Path, lie) {
				real.ServeHTTP(w, r)
				return
			}
			answer := httptest.NewRecorder()
			real.ServeHTTP(answer, r)
			for name, values := range answer.Header() {
				w.Header()[name] = values
			}
			data := answer.Body.Bytes()
			data[len(data)/2] ^= 1
			w.Write(data)
		}
	}) + "/recipes/review"
	digest, err := Push(t.Context(), parsed(t, at+":v1"), treeOf(t, map[string]string{"flow.yaml": "name: x\n"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, lie = range []string{"/manifests/", "/blobs/"} {
		if tree, err := Fetch(t.Context(), parsed(t, at+":v1"), digest); err == nil || !strings.Contains(err.Error(), "the content that the registry sent does not match its digest") {
			t.Errorf("%s: %v, %v", lie, tree, err)
		}
	}
	lie = ""
	if _, err := Fetch(t.Context(), parsed(t, at+":v1"), "sha256:"+strings.Repeat("0", 64)); err == nil {
		t.Error("a digest that does not exist was fetched")
	}
}

// TestFetchEnds: a server that does not answer is waited for as long as the context
// lasts.
func TestFetchEnds(t *testing.T) {
	for _, form := range []string{"%s/recipes/review:v1", "git+http%s/r@main"} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		at := newRegistry(t, func(http.Handler) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) {
				cancel()
				<-r.Context().Done()
			}
		})
		if strings.HasPrefix(form, "git") {
			at = strings.TrimPrefix(at, "oci")
		}
		ref := parsed(t, fmt.Sprintf(form, at))
		if _, err := Resolve(ctx, ref); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", ref.Text, err)
		}
	}
}
