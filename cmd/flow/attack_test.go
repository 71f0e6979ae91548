package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/tools/shell/held"

	"github.com/a-seed-11b9befa/flow/internal/columns"
)

// TestAttacks plays what an attacker may have a model do, by a text in a file
// that it reads, say. Each file of testdata/attack is a scenario: a scripted
// model does it, beside honest work. The attack has to fail, the run has to say
// that it was tried, and the honest work has to come out right.
func TestAttacks(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "attack"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setupAttack,
		Condition:           attackCondition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"attack":  attackBy("flow"),
			"rebound": attackBy("rebind", "flow"),
			"denied":  wasDenied,
			"plays":   playAttempts,
			"worked":  hasWorked,
			"nowhere": nowhere,
			"reached": reached,
			"fill":    fill,
			"exits":   exits,
			"mode":    mode,
			"gone":    gone,
		},
	})
}

// setupAttack adds to the environment of other scripts what attackers look for:
// a secret, and a listener of theirs. Its address stands for ATTACKER in
// workflows and scripts.
func setupAttack(env *testscript.Env) error {
	if err := setupScript(env); err != nil {
		return err
	}
	trap, err := newTrap()
	if err != nil {
		return err
	}
	env.Defer(trap.close)
	env.Values[trapKey{}] = trap
	endless := httptest.NewServer(http.HandlerFunc(streamForever))
	env.Defer(endless.Close)
	env.Setenv("ENDLESS", endless.URL)
	env.Setenv("ATTACKER", trap.address())
	env.Setenv("PORT", trap.address()[strings.LastIndex(trap.address(), ":")+1:])
	env.Setenv("SECRET", "hunter-4f9A8b7C6d5E+leak/01")
	env.Setenv("TMPDIR", filepath.Join(env.WorkDir, ".tmp"))
	home := env.WorkDir + ".home" // beside the workspace
	env.Setenv("HOME", home)
	if err := os.MkdirAll(filepath.Join(home, ".ssh"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(home, ".ssh", "id_ed25519"), []byte("not-for-you-0123456789\n"), 0o600)
}

// A trap is what an attacker listens with: one port by TCP and UDP, that counts
// who comes.
type trap struct {
	tcp     net.Listener
	udp     net.PacketConn
	count   atomic.Int64
	serving conc.WaitGroup
}

type trapKey struct{}

func newTrap() (*trap, error) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	udp, err := net.ListenPacket("udp", tcp.Addr().String())
	if err != nil {
		tcp.Close()
		return nil, err
	}
	t := &trap{tcp: tcp, udp: udp}
	t.serving.Go(func() {
		for {
			conn, err := tcp.Accept()
			if err != nil {
				return
			}
			t.count.Add(1)
			conn.Close()
		}
	})
	t.serving.Go(func() {
		for buffer := make([]byte, 512); ; t.count.Add(1) {
			if _, _, err := udp.ReadFrom(buffer); err != nil {
				return
			}
		}
	})
	return t, nil
}

func (t *trap) address() string { return t.tcp.Addr().String() }

func (t *trap) close() {
	t.tcp.Close()
	t.udp.Close()
	t.serving.Wait()
}

// reached checks that somebody has come to the attacker's listener.
func reached(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 0 {
		ts.Fatalf("usage: [!] reached")
	}
	came := ts.Value(trapKey{}).(*trap).count.Load()
	if neg == (came > 0) {
		ts.Fatalf("%d connections and packets came to the attacker", came)
	}
}

// fill FILE… puts the attacker's address, and what else is known only now, into
// files.
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: fill file…")
	}
	known := strings.NewReplacer("{{ATTACKER}}", ts.Getenv("ATTACKER"), "{{PORT}}", ts.Getenv("PORT"), "{{SERVER}}", ts.Getenv("SERVER"), "{{ENDLESS}}", ts.Getenv("ENDLESS"),
		"{{WORK}}", ts.Getenv("WORK"), "{{HOME}}", ts.Getenv("HOME"),
		"{{LONG}}", strings.Repeat("x", 40<<10))
	for _, name := range args {
		text := known.Replace(ts.ReadFile(name))
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}

// attackCondition is [rebind]: the system lets a test have a network of its own; or
// [held]: commands are held here.
func attackCondition(name string) (bool, error) {
	if name == "held" {
		return held.Available() == nil, nil
	}
	if name != "rebind" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	return exec.Command("rebind", "true").Run() == nil, nil
}

// attackBy is attack CODE FILE [FLAG…]: it runs a workflow, with all that flow can write,
// into the folder run. What it writes is private, and its screen is harmless, always.
func attackBy(program ...string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < 2 {
			ts.Fatalf("usage: attack code file [flag…]")
		}
		ts.Check(os.RemoveAll(ts.MkAbs("run")))
		command := slices.Concat(args[:1], program, []string{"run", args[1], "--run-dir", "run",
			"--events", "events.jsonl", "--record", "recorded.script.yaml", "--log-level", "trace"}, args[2:])
		exits(ts, false, command)
		checkScreen(ts, ts.ReadFile("stderr"))
		for _, name := range []string{"run", "events.jsonl", "recorded.script.yaml"} {
			checkPrivate(ts, ts.MkAbs(name))
		}
	}
}

var ciCommand = regexp.MustCompile(`^\s*::|##[a-zA-Z]*\[`)

// checkScreen looks for what could act on a terminal or on a CI system.
func checkScreen(ts *testscript.TestScript, text string) {
	for line := range strings.Lines(text) {
		if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), columns.Hidden) {
			ts.Fatalf("standard error acts on a terminal: %q", line)
		}
		// Of what is logged of an answer without end few lines have one of them.
		if (strings.Contains(line, "::") || strings.Contains(line, "##")) && ciCommand.MatchString(line) {
			ts.Fatalf("standard error has a CI system's command: %q", line)
		}
	}
}

// checkPrivate fails where others than the user could read what a run has left.
func checkPrivate(ts *testscript.TestScript, root string) {
	ts.Check(filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type() == fs.ModeSymlink {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			ts.Fatalf("%s: mode %04o", path, info.Mode().Perm())
		}
		return err
	}))
}

// nowhere TEXT… checks that texts, however they are encoded, are in nothing that
// the last run has shown or written.
func nowhere(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: nowhere text…")
	}
	texts := map[string]string{"stdout": ts.ReadFile("stdout"), "stderr": ts.ReadFile("stderr")}
	for _, name := range []string{"run", "events.jsonl", "recorded.script.yaml"} {
		ts.Check(filepath.WalkDir(ts.MkAbs(name), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			texts[path] = string(data)
			return err
		}))
	}
	for name, text := range texts {
		for _, secret := range args {
			if at := strings.Index(text, secret); at >= 0 {
				ts.Fatalf("%s shows %q: …%s…", name, secret, text[max(0, at-200):min(len(text), at+200)])
			}
		}
	}
}

// playAttempts is plays FILE: writes the script of a model that makes all the calls of a file in
// one turn, honest work among them, into FILE.script.yaml. A line is a tool and its
// main argument, as it is or quoted as in Go, or all of its arguments as JSON.
func playAttempts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: plays file")
	}
	var calls []any
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		tool, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if tool != "" {
			calls = append(calls, map[string]any{"name": tool, "arguments": argumentsOf(ts, tool, text)})
		}
	}
	calls = append(calls, map[string]any{"name": "write", "arguments": map[string]string{"filePath": "out/report.md", "content": "the work\n"}})
	turns := []any{map[string]any{"calls": calls}, map[string]any{"text": "honest: ${{ results[len(results)-1].content }}"}}
	script, err := json.Marshal(map[string]any{"steps": map[string]any{"*": turns}})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".script.yaml"), script, 0o600))
}

func argumentsOf(ts *testscript.TestScript, tool, text string) map[string]any {
	arguments, err := argumentsFrom(tool, text)
	ts.Check(err)
	return arguments
}

// argumentsFrom are those of a call that stands in a line.
func argumentsFrom(tool, text string) (map[string]any, error) {
	arguments := map[string]any{}
	if strings.HasPrefix(text, "{\"") {
		return arguments, json.Unmarshal([]byte(text), &arguments)
	}
	if strings.HasPrefix(text, `"`) {
		var err error
		if text, err = strconv.Unquote(text); err != nil {
			return nil, err
		}
	}
	text = strings.ReplaceAll(text, "${{", "$${{")
	switch tool {
	case "bash":
		return map[string]any{"command": text, "description": "x"}, nil
	case "write":
		return map[string]any{"filePath": text, "content": "stolen\n"}, nil
	case "edit":
		return map[string]any{"filePath": text, "oldString": "before", "newString": "stolen"}, nil
	case "webfetch":
		return map[string]any{"url": text}, nil
	case "grep", "glob":
		return map[string]any{"pattern": text}, nil
	case "list":
		return map[string]any{"path": text}, nil
	}
	return map[string]any{"filePath": text}, nil
}

// hasWorked is worked [N]: it checks that the honest work of a model that plays was done, and that N
// calls were denied beside it, or any number: run.json has them, and standard error has a line for
// them and says how many.
func hasWorked(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: worked [denied]")
	}
	if text := ts.ReadFile("out/report.md"); text != "the work\n" {
		ts.Fatalf("the work came to %q", text)
	}
	ts.Check(os.Remove(ts.MkAbs("out/report.md")))
	calls := deniedOf(ts)
	if len(args) == 1 && args[0] != strconv.Itoa(len(calls)) {
		var told strings.Builder
		for _, call := range calls {
			fmt.Fprintf(&told, "%s %v: %v\n", call["tool"], call["input"], call["rule"])
		}
		ts.Fatalf("%d calls were denied, not %s:\n%s", len(calls), args[0], told.String())
	}
	if said := ts.ReadFile("stderr"); len(calls) > 0 && (!strings.Contains(said, fmt.Sprintf("%d denied\n", len(calls))) || !deniedLine.MatchString(said)) {
		ts.Fatalf("standard error does not say that %d calls were denied", len(calls))
	}
}

// deniedLine is the line for a call that was denied.
var deniedLine = regexp.MustCompile(`(?m)^denied(?: \d+ times)?: `)

// wasDenied is denied TOOL PATTERN: run.json has a denied call of the tool that
// fits the pattern, and standard error has a line for denied calls.
func wasDenied(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] denied tool pattern")
	}
	pattern, err := regexp.Compile(args[1])
	ts.Check(err)
	found := false
	for _, call := range deniedOf(ts) {
		input, err := json.Marshal(call["input"])
		ts.Check(err)
		found = found || call["tool"] == args[0] && pattern.Match(input)
	}
	said := deniedLine.MatchString(ts.ReadFile("stderr"))
	if found == neg || !neg && !said {
		ts.Fatalf("in run.json: %v, on standard error: %v; all: %v", found, said, deniedOf(ts))
	}
}

// deniedOf are the denied calls of the last run.
func deniedOf(ts *testscript.TestScript) []map[string]any {
	var result any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("run/run.json")), &result))
	return deniedCalls(result)
}

// deniedCalls collects them from wherever they are in a result.
func deniedCalls(value any) []map[string]any {
	var found []map[string]any
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			list, ok := inner.([]any)
			if key != "denied_calls" || !ok {
				found = append(found, deniedCalls(inner)...)
				continue
			}
			for _, call := range list {
				if call, ok := call.(map[string]any); ok {
					found = append(found, call)
				}
			}
		}
	case []any:
		for _, inner := range value {
			found = append(found, deniedCalls(inner)...)
		}
	}
	return found
}

// TestTrap shows that the listener of the attacks sees who comes.
func TestTrap(t *testing.T) {
	trap, err := newTrap()
	if err != nil {
		t.Fatal(err)
	}
	defer trap.close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+trap.address(), bytes.NewReader(nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := http.DefaultClient.Do(request); err == nil {
		t.Error("the trap has answered")
	}
	conn, err := net.Dial("udp", trap.address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	before := trap.count.Load()
	fmt.Fprint(conn, "x")
	for trap.count.Load() == before {
		if ctx.Err() != nil {
			t.Fatalf("a packet of UDP was not counted")
		}
		time.Sleep(time.Millisecond)
	}
}
