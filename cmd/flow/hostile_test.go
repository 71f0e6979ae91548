package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestHostileRecipes runs recipes that look harmless, granted all that they ask for, in
// a world that notices what they do. A file of testdata/hostile is one; its comment
// has a line for each thing that it does:
//
//	does: KIND NAME: what flow lock says of that
//	rules: RULES     that its caller has; for bash and read where there is no such line
//
// The kinds are command (a program that ran), host (that was asked for something),
// variable and secret (one of the environment, or a file of the user's, whose value
// went to a program, a host or a file), and file (that is new, changed or gone). The
// recipe does these and nothing else, and each is said before it is granted.
func TestHostileRecipes(t *testing.T) {
	files, err := filepath.Glob("testdata/hostile/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: there is no git")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			newWorld(t, archive).play(string(archive.Comment))
		})
	}
}

// A world is a machine with a user's folder, a workspace, secrets, and programs that
// say that they ran.
type world struct {
	t      *testing.T
	dir    string // has home, work (the workspace), recipe and bin
	server *httptest.Server
	answer string // of any model

	mu   sync.Mutex
	seen []string // by the server: the whole of each request
}

// worldVariables are set, each to a value that names it.
var worldVariables = []string{"AWS_SECRET_ACCESS_KEY", "CI_DEPLOY_TOKEN", "GITHUB_TOKEN", "NPM_TOKEN", "OPENAI_API_KEY"}

// worldSecrets are files whose text names them.
var worldSecrets = []string{"home/.ssh/id_ed25519", "home/.npmrc", "work/.env", "work/notes.md"}

// worldLog is what they write to, where commands that are held may.
const worldLog = "work/log"

// worldPrograms are those that only say that they ran.
var worldPrograms = []string{"curl", "npx", "crontab"}

func newWorld(t *testing.T, archive *txtar.Archive) *world {
	w := &world{t: t, dir: t.TempDir(), answer: "done"}
	w.server = httptest.NewServer(http.HandlerFunc(w.serve))
	t.Cleanup(w.server.Close)
	for _, name := range worldSecrets {
		w.write(name, "text-of-"+name+"\n", 0o644)
	}
	for _, name := range worldPrograms {
		w.write("bin/"+name, "#!/bin/sh\n{ echo \"ran: "+name+" $*\"; env; } >>'"+w.path(worldLog)+"'\n", 0o755)
	}
	w.write("work/script.yaml", "steps: {\"*\": [{text: done}]}\n", 0o644)
	for _, f := range archive.Files {
		text := w.filled(string(f.Data))
		if f.Name == "answer" {
			w.answer = strings.TrimSpace(text)
			continue
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		w.write("recipe/"+f.Name, text, mode)
	}
	w.must(w.path("recipe"), "git", "init", "-q", "-b", "main")
	w.must(w.path("recipe"), "git", "add", "-A")
	w.must(w.path("recipe"), "git", "commit", "-qm", "x")
	return w
}

// filled is a text with the address of the server in it.
func (w *world) filled(text string) string {
	return strings.ReplaceAll(text, "{{server}}", strings.TrimPrefix(w.server.URL, "http://"))
}

func (w *world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *world) write(name, text string, mode fs.FileMode) {
	w.t.Helper()
	path := w.path(name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode)); err != nil {
		w.t.Fatal(err)
	}
}

// run runs a program as the user does, and gives what it printed.
func (w *world) run(dir string, words ...string) (string, error) {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + w.path("home"), "PATH=" + w.path("bin") + ":" + os.Getenv("PATH"), "CI=true", "TERM=dumb",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "GIT_CONFIG_NOSYSTEM=1"}
	for _, name := range worldVariables {
		cmd.Env = append(cmd.Env, name+"=value-of-"+name)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (w *world) must(dir string, words ...string) string {
	w.t.Helper()
	out, err := w.run(dir, words...)
	if err != nil {
		w.t.Fatalf("%v: %v\n%s", words, err, out)
	}
	return out
}

// serve is every host: a model, and whatever else is asked.
func (w *world) serve(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var head bytes.Buffer
	_ = r.Header.Write(&head)
	w.mu.Lock()
	w.seen = append(w.seen, r.Method+" "+r.URL.String()+"\n"+head.String()+string(body))
	w.mu.Unlock()
	if r.URL.Path != "/v1/chat/completions" {
		fmt.Fprint(rw, "a page")
		return
	}
	rw.Header().Set("Content-Type", "text/event-stream")
	const chunk = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"small","choices":[{"index":0,"delta":%s,"finish_reason":%s}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}` + "\n\n"
	fmt.Fprintf(rw, chunk+chunk+"data: [DONE]\n\n", fmt.Sprintf(`{"role":"assistant","content":%q}`, w.answer), "null", "{}", `"stop"`)
}

// pasted is the grant that a message says is needed.
var pasted = regexp.MustCompile(`(?m)add to the step: (grant: \{.*\})`)

// play locks the recipe, grants what it asks for, runs it, and compares.
func (w *world) play(comment string) {
	work := w.path("work")
	rules := "bash: allow, read: allow"
	if _, rest, own := strings.Cut(comment, "\nrules: "); own {
		rules, _, _ = strings.Cut(w.filled(rest), "\n")
	}
	caller := "name: caller\nmodel: script/script.yaml\nsandbox: off\npermissions: {" + rules + "}\n" +
		"steps:\n  - uses: git+file://" + w.path("recipe") + "@main\n"
	w.write("work/flow.yaml", caller, 0o644)
	said := w.must(work, "flow", "lock")
	if grant := pasted.FindStringSubmatch(said); grant != nil {
		w.write("work/flow.yaml", caller+"    "+grant[1]+"\n", 0o644)
	}
	if again := w.must(work, "flow", "lock"); strings.Contains(again, "is not granted") {
		w.t.Fatalf("the grant to paste is not enough: %s", again)
	}
	before := w.files()
	ran, _ := w.run(work, "flow", "run", "flow.yaml")

	did := w.did(before)
	var expected []string
	for line := range strings.Lines(comment) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "does: ")
		if !ok {
			continue
		}
		thing, says, _ := strings.Cut(rest, ": ")
		expected = append(expected, thing)
		if !strings.Contains(said, "\n  "+says) {
			w.t.Errorf("it does %s, and flow lock does not say %q:\n%s", thing, says, said)
		}
	}
	slices.Sort(expected)
	if !slices.Equal(did, expected) || len(did) == 0 {
		w.t.Errorf("it does\n  %s\nand the file has\n  %s\nflow lock said:\n%s\nflow run said:\n%s", strings.Join(did, "\n  "), strings.Join(expected, "\n  "), said, ran)
	}
}

// files are those of the user's folder and of the workspace, but for flow's own.
func (w *world) files() map[string]string {
	all := map[string]string{}
	for _, top := range []string{"home", "work"} {
		err := filepath.WalkDir(w.path(top), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() {
				if name := entry.Name(); name == ".flow" || path == w.path("home/.cache/flow") {
					return fs.SkipDir
				}
				return nil
			}
			text, err := os.ReadFile(path)
			name, _ := filepath.Rel(w.dir, path)
			if name != worldLog {
				all[filepath.ToSlash(name)] = string(text)
			}
			return err
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	return all
}

// did is what has happened, each once, sorted.
func (w *world) did(before map[string]string) []string {
	things := map[string]bool{}
	log, err := os.ReadFile(w.path(worldLog))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		if rest, ok := strings.CutPrefix(line, "ran: "); ok {
			program, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			things["command "+program] = true
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.seen) > 0 {
		things["host 127.0.0.1"] = true
	}
	left := string(log) + strings.Join(w.seen, "\n")
	after := w.files()
	for name, text := range after {
		if old, there := before[name]; !there || old != text {
			things["file "+name] = true
			left += text
		}
	}
	for name := range before {
		if _, there := after[name]; !there {
			things["file "+name] = true
		}
	}
	for _, name := range worldVariables {
		if strings.Contains(left, "value-of-"+name) {
			things["variable "+name] = true
		}
	}
	for _, name := range worldSecrets {
		if strings.Contains(left, "text-of-"+name) {
			things["secret "+name] = true
		}
	}
	return slices.Sorted(maps.Keys(things))
}
