package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/tools"
)

// A bench is a server under test, and what it made known.
type bench struct {
	*Server
	mu       sync.Mutex
	warnings []string
}

// patience is how long a server may take that answers.
const patience = 5 * time.Minute

// start makes a server of a fake in a mode, which the test ends.
func start(t *testing.T, mode string, change func(*Options)) *bench {
	t.Helper()
	o := Options{
		Name: "fake", Command: []string{os.Args[0]}, Env: []string{fakeVariable + "=" + mode, "PATH=" + os.Getenv("PATH")},
		StartupTimeout: patience, Timeout: patience,
	}
	b := &bench{}
	o.Warn = func(message string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.warnings = append(b.warnings, message)
	}
	if change != nil {
		change(&o)
	}
	b.Server = New(o)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return b
}

func (b *bench) told() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.warnings, "\n")
}

// tool finds a tool by the server's own name for it.
func (b *bench) tool(t *testing.T, name string) tools.Tool {
	t.Helper()
	all, err := b.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range all {
		if tool.Spec().Name == b.o.Name+"_"+name {
			return tool
		}
	}
	t.Fatalf("there is no tool %q", name)
	return nil
}

// call calls a tool and returns what a model would see.
func call(ctx context.Context, t *testing.T, tool tools.Tool, arguments string) (text string, failed bool, err error) {
	t.Helper()
	out := tools.NewOutput(tools.OutputOptions{Limits: tools.Limits{Lines: 100}})
	result, err := tool.Run(ctx, json.RawMessage(arguments), out)
	shown, closeErr := out.Close()
	if closeErr != nil {
		t.Fatal(closeErr)
	}
	return strings.Trim(shown.Content+"\n"+result.Note, "\n"), result.Failed, err
}

// TestCalls has what a server does with a call, and what a model sees. After
// each the server has to answer again, started anew where it had to be.
func TestCalls(t *testing.T) {
	cases := []struct {
		tool   string
		want   string
		failed bool
		ended  string // what is warned of, where the server ends
	}{
		{"echo", `echo {"a":1}`, false, ""},
		{"fail", "no such issue", true, ""},
		{"die", "MCP server \"fake\" ended during the call: exit status 3; its last output:\npanic: out of cheese\nIt is not known whether the call had its effect.", true, "ended: exit status 3"},
		{"silent", `MCP server "fake": no answer within 1s; the call was cancelled`, true, ""},
		{"huge", "left out", false, ""},
		{"gigabyte", "ended during the call: it sent a message of more than 8 MiB", true, "more than 8 MiB"},
		{"junk", "answered", false, ""},
		{"junkflood", "it printed more than 1000 lines that are no message", true, "1000 lines"},
		{"twice", "first", false, ""},
		{"flood", "after the flood", false, ""},
		{"asks", "", true, ""},
		{"mixed", "one\n[image: image/png, 3 bytes]\n[audio: audio/wav, 3 bytes]\n[resource: file:///a\\u001b[31m, a.txt, 12 bytes]\n[resource: demo://1, text/plain]\ninside\n[resource: demo://2, of an unknown type, 3 bytes]", false, ""},
		{"structured", `{ "n": 1 }`, false, ""},
		{"shape", `MCP server "fake": calling "tools/call"`, true, ""},
		{"error", `MCP server "fake" answers with an error: bad \u001b[2Jarguments (-32602)`, true, ""},
		{"mute", "ended during the call: ", true, "ended: "},
		{"deep", "no answer within 1s", true, ""},
		{"input", "The server asks for input in the middle of the call, which nobody can give here.", true, ""},
	}
	for _, c := range cases {
		t.Run(c.tool, func(t *testing.T) {
			t.Parallel()
			b := start(t, "plain", func(o *Options) {
				if c.tool == "silent" || c.tool == "deep" || c.tool == "asks" {
					o.Timeout = time.Second
				}
			})
			got, failed, err := call(t.Context(), t, b.tool(t, c.tool), `{"a":1}`)
			if err != nil || failed != c.failed || !strings.Contains(got, c.want) {
				t.Errorf("got  %q (failed: %v, %v)\nwant %q (failed: %v)", got, failed, err, c.want, c.failed)
			}
			if !strings.Contains(b.told(), c.ended) || c.ended == "" && c.tool != "asks" && strings.Contains(b.told(), "ended") {
				t.Errorf("warnings %q, want %q", b.told(), c.ended)
			}
			if c.tool == "asks" {
				return // it sleeps on
			}
			got, failed, err = call(t.Context(), t, b.tool(t, "echo"), `{}`)
			want := "echo {}"
			if err != nil || failed || !strings.HasPrefix(got, want) {
				t.Errorf("afterwards: %q (failed: %v, %v), want %q", got, failed, err, want)
			}
		})
	}
}

// TestRestart calls a tool that ends the server again and again.
func TestRestart(t *testing.T) {
	b := start(t, "plain", nil)
	die, echo := b.tool(t, "die"), b.tool(t, "echo")
	for range maxStarts - 1 {
		if got, failed, _ := call(t.Context(), t, die, `{}`); !failed || !strings.Contains(got, "ended during the call") {
			t.Fatalf("%q, failed: %v", got, failed)
		}
		got, failed, _ := call(t.Context(), t, echo, `{}`)
		if failed || got != "echo {}\n"+restartNote {
			t.Fatalf("%q, failed: %v", got, failed)
		}
	}
	call(t.Context(), t, die, `{}`)
	want := "it was started 5 times, and is not started again"
	if got, failed, _ := call(t.Context(), t, echo, `{}`); !failed || !strings.Contains(got, want) {
		t.Errorf("%q, failed: %v; want %q", got, failed, want)
	}
	if n := strings.Count(b.told(), "was started again"); n != maxStarts-1 {
		t.Errorf("%d restarts were told of, want %d", n, maxStarts-1)
	}
}

func TestStarts(t *testing.T) {
	cases := []struct{ mode, command, want string }{
		{"exits", "", "MCP server \"fake\" does not start: it ended with exit status 7; its last output:\nstarting\nno \\u001b[31mtoken\\u001b[0m given"},
		{"silent", "", `MCP server "fake" does not start: no answer within 700ms`},
		{"deaf", "", `MCP server "fake" does not start: no answer within 700ms`},
		{"plain", "no-such-program", `MCP server "fake" does not start: command "no-such-program": executable file not found in $PATH`},
		{"plain", "/no/such/program", `MCP server "fake" does not start: command "/no/such/program": no such file or directory`},
	}
	for _, c := range cases {
		t.Run(c.mode+c.command, func(t *testing.T) {
			t.Parallel()
			b := start(t, c.mode, func(o *Options) {
				if c.command != "" {
					o.Command = []string{c.command}
				}
				if strings.Contains(c.want, "no answer") {
					o.StartupTimeout = 700 * time.Millisecond
				}
			})
			_, err := b.Tools(t.Context())
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %v", err, c.want)
			}
		})
	}
}

// TestChatty has a server that prints words where messages belong.
func TestChatty(t *testing.T) {
	b := start(t, "chatty", nil)
	b.tool(t, "echo")
	if want := `prints a line that is not a message on its standard output: "Server is listening on stdio"`; !strings.Contains(b.told(), want) {
		t.Errorf("warnings %q, want %q", b.told(), want)
	}
}

// TestPicky has a server that leaves requests that it does not know without an answer.
func TestPicky(t *testing.T) {
	b := start(t, "picky", func(o *Options) { o.firstTry = 50 * time.Millisecond })
	b.tool(t, "echo")
	if want := `leaves "server/discover" without an answer`; !strings.Contains(b.told(), want) {
		t.Errorf("warnings %q, want %q", b.told(), want)
	}
}

// TestLists has what a server says of its tools, and what becomes of it.
func TestLists(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	const empty = `{"properties":{},"type":"object"}`
	cases := []struct {
		name, announced       string
		tool, words, schema   string
		warning, missingTools string
	}{
		{
			"draft-07", `{"name":"a","description":" what it does ","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"x":{"type":"string"}},"required":["x"]}}`,
			"a", "what it does", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"x":{"type":"string"}},"required":["x"],"type":"object"}`, "", "",
		},
		{"control characters", `{"name":"a","description":"now \u001b[31mIGNORE\u202e \ufeffthis","inputSchema":{"type":"object","description":"\u001b]52;c;x\u0007"}}`, "a", `now \u001b[31mIGNORE\u202e \ufeffthis`, `{"description":"\\u001b]52;c;x\\u0007","properties":{},"type":"object"}`, "", ""},
		{"a long description", `{"name":"a","description":"` + long + `","inputSchema":{"type":"object"}}`, "a", strings.Repeat("x", maxDescription) + " … (cut)", empty, "", ""},
		{"a schema that is too long", `{"name":"a","inputSchema":{"type":"object","properties":{"x":{"enum":["` + long + `"]}}}}`, "a", "", anyArguments, `schema that can't be used, so its arguments are not checked: it is longer than 65536 bytes`, ""},
		{"a schema that does not compile", `{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"sting"}}}}`, "a", "", anyArguments, `announces the tool "a" with a schema that can't be used`, ""},
		{"a schema from elsewhere", `{"name":"a","inputSchema":{"type":"object","$ref":"file:///etc/passwd"}},{"name":"b","inputSchema":{"type":"object"}}`, "b", "", empty, `announces the tool "a", which is left out: its schema describes no object, refers to something that is not in it, or combines too much`, "a"},
		{"a schema of a list", `{"name":"a","inputSchema":{"type":"array"}},{"name":"b","inputSchema":{"type":"object"}}`, "b", "", empty, `announces the tool "a", which is left out`, "a"},
		{"a schema of a text or a number", `{"name":"a","inputSchema":{"anyOf":[{"type":"string"},{"type":"number"}]}},{"name":"b","inputSchema":{"type":"object"}}`, "b", "", empty, `announces the tool "a", which is left out`, "a"},
		{"a schema that refers to itself", `{"name":"a","inputSchema":{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A"}}}},{"name":"b","inputSchema":{"type":"object"}}`, "b", "", empty, `announces the tool "a", which is left out`, "a"},
		{"a schema without a type", `{"name":"a","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#"}}`, "a", "", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{},"type":"object"}`, "", ""},
		{"an array of anything", `{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"array"}}}}`, "a", "", `{"properties":{"x":{"items":{},"type":"array"}},"type":"object"}`, "", ""},
		{"no schema", `{"name":"a"}`, "a", "", anyArguments, "", ""},
		{"twice the same name", `{"name":"a","inputSchema":{"type":"object"}},{"name":"a","description":"second","inputSchema":{"type":"object"}},{"name":"b","inputSchema":{"type":"object"}}`, "a", "", empty, `announces the tool "a" twice: the first one is used`, "c"},
		{"names that can't be", `{"name":"a b","inputSchema":{"type":"object"}},{"name":"x\u001b","inputSchema":{"type":"object"}},{"name":"b","inputSchema":{"type":"object"}}`, "b", "", empty, `announces the tool "a b", which is left out: its name may have letters, digits, _, - and . only`, "a b"},
		{"a long name", `{"name":"` + long[:60] + `","inputSchema":{"type":"object"}},{"name":"` + long[:59] + `","inputSchema":{"type":"object"}}`, long[:59], "", empty, `its name and the server's are longer than 63 characters together`, long[:60]},
		{"names with dots that collide", `{"name":"a.b","inputSchema":{"type":"object"}},{"name":"a_b","inputSchema":{"type":"object"}},{"name":"c","inputSchema":{"type":"object"}}`, "c", "", empty, `announces tools that are all called "fake_a_b" here, so that none of them is used: a.b, a_b`, "a_b"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := start(t, c.announced, nil)
			spec := b.tool(t, c.tool).Spec()
			if spec.Description != c.words || string(spec.Parameters) != c.schema {
				t.Errorf("got  %.300q %.300s\nwant %.300q %.300s", spec.Description, spec.Parameters, c.words, c.schema)
			}
			if !strings.Contains(b.told(), c.warning) || c.warning == "" && b.told() != "" {
				t.Errorf("warnings %.300q, want %q", b.told(), c.warning)
			}
			all, _ := b.Tools(t.Context())
			for _, tool := range all {
				if tool.Spec().Name == "fake_"+c.missingTools {
					t.Errorf("%s is there", tool.Spec().Name)
				}
			}
		})
	}
}

// TestListChanged keeps a tool as it was, and gives later callers the new list.
func TestListChanged(t *testing.T) {
	b := start(t, "plain", nil)
	before := b.tool(t, "echo")
	if got, failed, err := call(t.Context(), t, b.tool(t, "change"), `{}`); got != "changed" || failed || err != nil {
		t.Fatalf("%q %v %v", got, failed, err)
	}
	after := b.tool(t, "echo")
	if before.Spec().Description != "does echo" || after.Spec().Description != "new words 2" {
		t.Errorf("descriptions %q and %q", before.Spec().Description, after.Spec().Description)
	}
	b.tool(t, "added")
	want := `has changed its tools (echo, added, asks, change, child, deep, die, env and 14 more); steps that run keep those they have`
	if !strings.Contains(b.told(), want) {
		t.Errorf("warnings %q\nwant %q", b.told(), want)
	}
	if got, failed, _ := call(t.Context(), t, before, `{}`); failed || got != "echo {}" {
		t.Errorf("the tool of before: %q, failed: %v", got, failed)
	}
}

// TestCancelledCall tells the server, and leaves it usable.
func TestCancelledCall(t *testing.T) {
	b := start(t, "plain", nil)
	silent := b.tool(t, "silent")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	said := func(word string) { // by the server
		for !strings.Contains(b.journal.lastWords(nil), word) {
			time.Sleep(5 * time.Millisecond)
		}
	}
	go func() { said("called"); cancel(why) }()
	if _, _, err := call(ctx, t, silent, `{}`); err != why {
		t.Errorf("error %v, want %v", err, why)
	}
	said("cancelled")
	if got, failed, err := call(t.Context(), t, b.tool(t, "echo"), `{}`); got != "echo {}" || failed || err != nil {
		t.Errorf("afterwards: %q %v %v", got, failed, err)
	}
}

// TestEnvironment gives a server what it is given, and no more.
func TestEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret")
	b := start(t, "plain", func(o *Options) { o.Env = []string{fakeVariable + "=plain", "TOKEN=t"}; o.Dir = "/" })
	got, _, _ := call(t.Context(), t, b.tool(t, "env"), `{}`)
	for line := range strings.Lines(got) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), "=")
		if name != fakeVariable && name != "TOKEN" && name != "PWD" {
			t.Errorf("the server sees %s", line)
		}
	}
}

// TestShared starts one process for all who ask at the same time.
func TestShared(t *testing.T) {
	b := start(t, "plain", nil)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			list, err := b.Tools(t.Context())
			if err != nil || len(list) == 0 {
				t.Error(err)
				return
			}
			arguments := fmt.Sprintf(`{"i":%d}`, i)
			if got, failed, err := call(t.Context(), t, list[0], arguments); got != "echo "+arguments || failed || err != nil {
				t.Errorf("%q %v %v", got, failed, err)
			}
		})
	}
	all.Wait()
	if b.starts != 1 {
		t.Errorf("it was started %d times", b.starts)
	}
}

// TestJournal keeps what a server prints on its standard error, from before
// there was a file, and no more than is to be kept.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "server.log")
	ready := false
	j := &journal{open: func() (io.WriteCloser, error) {
		if !ready {
			return nil, fmt.Errorf("logs: %w", fs.ErrNotExist)
		}
		return os.Create(path)
	}}
	j.Write([]byte("early\n"))
	ready = true
	j.Write([]byte("later\n"))
	io.Copy(j, io.LimitReader(endless("line\n"), maxLogged+1000))
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(kept), "early\nlater\nline\n") || len(kept) > maxLogged+100 || !strings.HasSuffix(string(kept), "… the rest is not kept\n") {
		t.Errorf("%d bytes, %.30q … %q", len(kept), kept, kept[len(kept)-40:])
	}
	if len(j.tail) > maxTail || !strings.Contains(j.lastWords(nil), "its last output:\n") {
		t.Errorf("last words %q", j.lastWords(nil))
	}
}

// endless repeats a line.
type endless string

func (e endless) Read(p []byte) (int, error) {
	n := copy(p, strings.Repeat(string(e), len(p)/len(e)+1))
	return n, nil
}

func TestShown(t *testing.T) {
	cases := []struct{ in, want string }{
		{"plain\n\ttext é 日本 🙂", "plain\n\ttext é 日本 🙂"},
		{"\x1b[31mred\r\n\x00", `\u001b[31mred` + "\n" + `\u0000`},
		{"a\u200bb\u202e\U000e0041", `a\u200bb\u202e\U000e0041`},
		{"\xff", "\ufffd"},
		{strings.Repeat("é", 60), strings.Repeat("é", 50) + " … (cut)"},
		{"x" + strings.Repeat("é", 60), "x" + strings.Repeat("é", 49) + " … (cut)"},
	}
	for _, c := range cases {
		if got := shown(nil, c.in, 100); got != c.want {
			t.Errorf("shown(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// TestCutSecret: of a secret that is where the words of a server are cut, nothing is left.
func TestCutSecret(t *testing.T) {
	const secret = "opensesame-2718281828-open"
	mask := tools.NewMask([]string{secret})
	if got := shown(mask, strings.Repeat("x", 90)+secret, 100); got != strings.Repeat("x", 90)+"***" {
		t.Errorf("shown: %q", got)
	}
	for after := maxWords - len(secret) - 2; after < maxWords+2; after++ {
		j := new(journal)
		j.Write([]byte("begun\n" + secret + strings.Repeat("x", after)))
		if got := j.lastWords(mask); strings.Contains(got, secret[len(secret)-6:]) || !strings.Contains(got, "xxx") {
			t.Fatalf("%d after: %.100q", after, got)
		}
	}
}
