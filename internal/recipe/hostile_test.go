package recipe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"oras.land/oras-go/v2/registry/remote/auth"
)

// told gives what git prints when it reads a text.
func (s *gitServer) told(t *testing.T, input string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = s.dir, strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commitOf is a commit of what mktree is told.
func (s *gitServer) commitOf(t *testing.T, tree string) string {
	t.Helper()
	commit := s.git(t, "commit-tree", "-m", "x", s.told(t, tree, "mktree"))
	s.git(t, "update-ref", "refs/heads/hostile", commit)
	return commit
}

// TestHostileTrees: trees that no checkout would survive, which git itself would never
// make.
func TestHostileTrees(t *testing.T) {
	s := newGitServer(t)
	s.commit(t, map[string]string{"x": "x"})
	file := "100644 blob " + s.object(t, "name: x\n") + "\t"
	var many strings.Builder
	for i := range maxFiles + 1 {
		fmt.Fprintf(&many, "%sf%d\n", file, i)
	}
	bomb := file + "flow.yaml\n" // each tree has the one before ten times: 10^12 files
	for range 12 {
		below := "040000 tree " + s.told(t, bomb, "mktree") + "\t"
		bomb = ""
		for i := range 10 {
			bomb += fmt.Sprintf("%sd%d\n", below, i)
		}
	}
	zeros := func(size int) string {
		return "100644 blob " + s.told(t, string(make([]byte, size)), "hash-object", "-w", "--stdin") + "\t"
	}
	half := zeros(maxBytes/2 + 1)
	link := func(to string) string { return "120000 blob " + s.object(t, to) + "\t" }
	for _, tt := range []struct{ name, tree, want string }{
		{"names that differ in case", file + "Flow.yaml\n" + file + "flow.yaml\n", "can't both be there on every machine"},
		{"folders that differ in case", "040000 tree " + s.told(t, file+"x\n", "mktree") + "\tA\n040000 tree " + s.told(t, file+"y\n", "mktree") + "\ta\n" + file + "flow.yaml\n", "can't both be there on every machine"},
		{"names that a Mac takes for one", file + "e\u0301.md\n" + file + "flow.yaml\n" + file + "\u00e9.md\n", "can't both be there on every machine"},
		{"many files", many.String(), "more than 10000 files"},
		{"a bomb", bomb, "git archive: it printed more than"},
		{"a large file", file + "flow.yaml\n" + zeros(maxBytes+1) + "large\n", "exceed 100 MB"},
		{"large files", half + "a\n" + half + "b\n" + file + "flow.yaml\n", "exceed 100 MB"},
		{"links to a large file", half + "a\n" + link("a") + "b\n" + file + "flow.yaml\n", "exceed 100 MB"},
		{"links in a circle", file + "flow.yaml\n" + link("y") + "x\n" + link("x") + "y\n", "leads out of the recipe"},
		{"a link to a folder", "040000 tree " + s.told(t, file+"x\n", "mktree") + "\ta\n" + file + "flow.yaml\n" + link("a") + "z\n", ", which is not a file of the recipe"},
		{"a backslash", file + `..\evil` + "\n" + file + "flow.yaml\n", "is not a path in a recipe"},
		{"a direction", file + "a\u202egpj.sh\n" + file + "flow.yaml\n", "is not a path in a recipe"},
		{"no workflow", file + "x\n", "has no flow.yaml"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			commit := s.commitOf(t, tt.tree)
			_, err := Fetch(t.Context(), parsed(t, s.url+"@hostile"), commit)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// TestLargeRepository: what a server sends is bounded while it comes.
func TestLargeRepository(t *testing.T) {
	s := newGitServer(t)
	noise := make([]byte, 3<<20)
	for i, x := 0, uint32(1); i < len(noise); i++ { // that is not compressed
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	commit := s.commit(t, map[string]string{"flow.yaml": "name: x\n", "large": string(noise)})
	defer func(before int64) { maxRepository = before }(maxRepository)
	maxRepository = 1 << 20
	err := fetchCommitSlowly(t, s, commit)
	if err == nil || !strings.Contains(err.Error(), "the repository exceeds 1 MB") {
		t.Error(err)
	}
}

// fetchCommitSlowly fetches through a server that sends what it has within a second,
// and then waits.
func fetchCommitSlowly(t *testing.T, s *gitServer, commit string) error {
	t.Helper()
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		s.handler.ServeHTTP(answer, r)
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		body := answer.Body.Bytes()
		if most := 2 << 20; len(body) > most {
			w.Write(body[:most])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		w.Write(body)
	}))
	defer slow.Close()
	_, err := Fetch(t.Context(), parsed(t, "git+"+slow.URL+"/recipes@main"), commit)
	return err
}

// TestServerThatRedirects: a server leads nowhere but to https, and never to a file, to a
// command or to another server of this machine.
func TestServerThatRedirects(t *testing.T) {
	s := newGitServer(t)
	commit := s.commit(t, map[string]string{"flow.yaml": "name: x\n"})
	ran := filepath.Join(t.TempDir(), "ran")
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	for _, to := range []string{"file://" + s.dir, "ext::sh -c touch% " + ran, "ftp://127.0.0.1:1/x", other.URL + "/x", "ssh://127.0.0.1:1/x", "dict://127.0.0.1:1/x"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", to+"/info/refs?service=git-upload-pack")
			w.WriteHeader(http.StatusFound)
		}))
		ref := parsed(t, "git+"+server.URL+"/r@main")
		if at, err := Resolve(t.Context(), ref); err == nil {
			t.Errorf("%s: it is %s", to, at)
		}
		if _, err := Fetch(t.Context(), ref, commit); err == nil {
			t.Errorf("%s: it was fetched", to)
		}
		server.Close()
	}
	if _, err := os.Stat(ran); err == nil || reached {
		t.Errorf("it led somewhere: %v, %v", err, reached)
	}
}

// TestRegistryThatLeads: a registry of another machine has nothing asked of this one, nor
// without https, as an address of credentials would be: it would be sent the answer.
func TestRegistryThatLeads(t *testing.T) {
	reached := ""
	here := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached = r.URL.Path }))
	defer here.Close()
	repo, err := repository(parsed(t, "oci://registry.example.com/recipes/review:v1"))
	if err != nil {
		t.Fatal(err)
	}
	client := repo.Client.(*auth.Client).Client
	for _, to := range []string{here.URL + "/token", "http://registry.example.com/token", "https://localhost/token", "https://127.0.0.1/token"} {
		response, err := client.Get(to)
		if err == nil {
			response.Body.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "; only https redirects are followed") || reached != "" {
			t.Errorf("%s: %v, %q", to, err, reached)
		}
	}
}

// TestServerThatAsks: where a server wants a password that no helper has, that is an
// error at once. Nobody is asked.
func TestServerThatAsks(t *testing.T) {
	newGitServer(t) // for a home without helpers
	asked := filepath.Join(t.TempDir(), "asked")
	askpass := filepath.Join(t.TempDir(), "askpass")
	if err := os.WriteFile(askpass, []byte("#!/bin/sh\ntouch '"+asked+"'\nsleep 60\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SSH_ASKPASS", askpass)
	t.Setenv("DISPLAY", ":0")
	wants := func(http.Handler) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	}
	registry := newRegistry(t, wants)
	for text, want := range map[string]string{
		"git+http" + strings.TrimPrefix(registry, "oci") + "/r@main": "could not read Username",
		registry + "/recipes/review:v1":                              "basic credential not found",
	} {
		if _, err := Resolve(t.Context(), parsed(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := Fetch(t.Context(), parsed(t, text), strings.Repeat("1", 40)); err == nil {
			t.Errorf("%s was fetched", text)
		}
	}
	if _, err := os.Stat(asked); err == nil {
		t.Error("somebody was asked")
	}
}

// TestServerThatStalls: one that goes quiet in the midst of its answer is waited for as
// long as the context lasts, and nothing is left behind.
func TestServerThatStalls(t *testing.T) {
	s := newGitServer(t)
	commit := s.commit(t, map[string]string{"flow.yaml": "name: x\n"})
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stalls := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			s.handler.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
		fmt.Fprint(w, "001")
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	}))
	defer stalls.Close()
	if _, err := Fetch(ctx, parsed(t, "git+"+stalls.URL+"/recipes@main"), commit); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestHostileCurrentFolder: a repository around the current folder, which somebody else
// may have written, has no say.
func TestHostileCurrentFolder(t *testing.T) {
	s := newGitServer(t)
	want := s.commit(t, map[string]string{"flow.yaml": "name: x\n"})
	other := newGitServer(t)
	other.commit(t, map[string]string{"flow.yaml": "name: evil\n"})
	ran := filepath.Join(t.TempDir(), "ran")
	here := t.TempDir()
	bare := exec.Command("git", "init", "-q", "--bare", here)
	if out, err := bare.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	config := fmt.Sprintf("[url \"file://%s\"]\n\tinsteadOf = %s\n[credential]\n\thelper = \"!touch '%s'\"\n[core]\n\tsshCommand = touch '%s'\n\tbare = true\n",
		other.dir, strings.TrimSuffix(strings.TrimPrefix(s.url, "git+"), "/recipes"), ran, ran)
	if err := os.WriteFile(filepath.Join(here, "config"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(here)
	at, err := Resolve(t.Context(), parsed(t, s.url+"@main"))
	if err != nil || at != want {
		t.Errorf("%s, %v; want %s", at, err, want)
	}
	tree, err := Fetch(t.Context(), parsed(t, s.url+"@main"), want)
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := tree.Data("flow.yaml"); !bytes.Equal(data, []byte("name: x\n")) {
		t.Errorf("%s", data)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the folder ran something")
	}
}
