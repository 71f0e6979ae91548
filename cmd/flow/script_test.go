package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

func TestMain(m *testing.M) {
	endAtOnce()
	testscript.Main(m, map[string]func(){"flow": main, "mcpserver": serveMCP, "evilserver": serveEvil, "swap": swap, "rebind": rebind, "panicking": panicking})
}

// endAtOnce has the programs that scripts run end when they are done: under the race
// detector each of them waits a second before, for nothing.
func endAtOnce() {
	if os.Getenv("GORACE") == "" {
		os.Setenv("GORACE", "atexit_sleep_ms=0")
	}
}

// TestScripts runs what a user types, and compares what they see and get as
// exit code. Each file of testdata/script is one behaviour.
func TestScripts(t *testing.T) {
	// Under nohup the scripts' programs would ignore SIGHUP, too: a signal that is
	// ignored stays so in a new program, one that is handled does not.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	t.Cleanup(func() { signal.Reset(syscall.SIGHUP) })
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setupScript,
		Condition: func(name string) (bool, error) {
			if name != "held" {
				return false, fmt.Errorf("there is no condition %q", name)
			}
			return held.Available() == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"mode":  mode,
			"gone":  gone,
		},
	})
}

// setupScript takes away what the machine's own environment would add, and
// starts services that speak Chat Completions, Anthropic's Messages, and Gemini's
// generateContent.
func setupScript(env *testscript.Env) error {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL",
		"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_CLOUD_PROJECT", "NO_COLOR",
		"GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"} {
		env.Setenv(name, "")
	}
	env.Setenv("TERM", "xterm")
	caches, err := os.UserCacheDir() // for a script that builds, so that not all of Go is compiled
	if err != nil || os.MkdirAll(caches, 0o700) != nil {
		caches = env.WorkDir
	}
	env.Setenv("CACHES", caches)
	env.Setenv("CI", "true") // nobody who runs the tests is asked
	server := httptest.NewServer(answerDemo(answerChat))
	env.Setenv("SERVER", server.URL)
	env.Defer(server.Close)
	gemini := httptest.NewServer(new(geminiService))
	env.Setenv("GEMINI_SERVER", gemini.URL)
	env.Defer(gemini.Close)
	messages := httptest.NewServer(new(messagesService))
	env.Setenv("MESSAGES_SERVER", messages.URL)
	env.Defer(messages.Close)
	artefacts := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	env.Setenv("REGISTRY", strings.TrimPrefix(artefacts.URL, "http://"))
	env.Defer(artefacts.Close)
	return nil
}

// answerChat streams one answer, in which a client may read what it has sent.
func answerChat(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/chat/completions" {
		http.Error(w, `{"error": {"message": "no such path: `+r.URL.Path+`"}}`, http.StatusNotFound)
		return
	}
	if r.Header.Get("Authorization") == "Bearer sk-refused-0000" {
		http.Error(w, `{"error": {"message": "Incorrect API key provided"}}`, http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta, finish, usage string) {
		fmt.Fprintf(w, `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"small","choices":[{"index":0,"delta":%s,"finish_reason":%s}]%s}`+"\n\n", delta, finish, usage)
	}
	chunk(`{"role":"assistant","content":"Hello "}`, "null", "")
	chunk(`{"content":"over the wire."}`, "null", "")
	chunk(`{}`, `"stop"`, `,"usage":{"prompt_tokens":11,"completion_tokens":4,"total_tokens":15}`)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// exits CODE COMMAND ARG… runs a command that has to end with the code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command [arg…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		got = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// mode OCTAL PATTERN checks the permissions of files.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode octal pattern")
	}
	paths, err := filepath.Glob(ts.MkAbs(args[1]))
	ts.Check(err)
	if len(paths) == 0 {
		ts.Fatalf("nothing fits %s", args[1])
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		ts.Check(err)
		if got := fmt.Sprintf("%04o", info.Mode().Perm()); got != args[0] {
			ts.Fatalf("%s: mode %s, want %s", path, got, args[0])
		}
	}
}

// patience is how long tests wait for what has to happen, however busy the machine is.
const patience = 5 * time.Minute

// gone FILE checks that the process whose id is in the file has ended.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gone file")
	}
	id := strings.TrimSpace(ts.ReadFile(args[0]))
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) { // a kill takes its time
		stat, err := os.ReadFile(filepath.Join("/proc", id, "stat"))
		if err != nil {
			return // also where there is no /proc
		}
		if _, after, _ := strings.Cut(string(stat), ") "); strings.HasPrefix(after, "Z") {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("process %s still runs: %s", id, stat)
		}
	}
}
