package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// fakeVariable makes the test binary a server.
const fakeVariable = "MCP_TEST_SERVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(fakeVariable); mode != "" {
		(&fake{mode: mode, out: os.Stdout}).serve(os.Stdin)
		return
	}
	goleak.VerifyTestMain(m)
}

// A fake is a server that does what servers should not. Its mode says how it
// starts; the tool that is called says the rest.
type fake struct {
	mode  string
	out   io.Writer
	lists int
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

func (f *fake) send(format string, values ...any) { fmt.Fprintf(f.out, format+"\n", values...) }

func (f *fake) result(r request, format string, values ...any) {
	f.send(`{"result":%s,"jsonrpc":"2.0","id":%s}`, fmt.Sprintf(format, values...), r.ID)
}

func (f *fake) text(r request, text string) {
	data, _ := json.Marshal(text)
	f.result(r, `{"content":[{"type":"text","text":%s}]}`, data)
}

func (f *fake) serve(in io.Reader) {
	switch f.mode {
	case "exits":
		fmt.Fprintln(os.Stderr, "starting\nno \x1b[31mtoken\x1b[0m given")
		os.Exit(7)
	case "silent":
		io.Copy(io.Discard, in)
		return
	case "deaf":
		time.Sleep(time.Hour)
	case "chatty":
		f.send("Server is listening on stdio")
	}
	input := bufio.NewReader(in)
	for {
		line, err := input.ReadString('\n')
		if err != nil {
			if f.mode == "stays" {
				time.Sleep(time.Hour)
			}
			return
		}
		var r request
		if json.Unmarshal([]byte(line), &r) == nil {
			f.answer(r)
		}
	}
}

func (f *fake) answer(r request) {
	switch r.Method {
	case "initialize":
		f.result(r, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"1"}}`)
	case "tools/list":
		f.list(r)
	case "tools/call":
		f.call(r)
	case "notifications/cancelled":
		f.send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`)
		fmt.Fprintf(os.Stderr, "cancelled %s\n", r.Params.RequestID)
	default:
		if len(r.ID) > 0 && f.mode != "picky" {
			f.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, r.ID)
		}
	}
}

// list lists the tools; a mode that begins with a brace is the list itself.
func (f *fake) list(r request) {
	f.lists++
	if strings.HasPrefix(f.mode, "{") {
		f.result(r, `{"tools":[%s]}`, strings.ReplaceAll(f.mode, "LISTS", fmt.Sprint(f.lists)))
		return
	}
	var all []string
	for _, name := range strings.Fields("echo fail die silent huge gigabyte junk junkflood twice flood asks mixed structured shape error mute deep env child change input") {
		all = append(all, fmt.Sprintf(`{"name":%q,"description":"does %s","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}}`, name, name))
	}
	f.result(r, `{"tools":[%s]}`, strings.Join(all, ","))
}

func (f *fake) call(r request) {
	switch r.Params.Name {
	case "fail":
		f.result(r, `{"content":[{"type":"text","text":"no such issue"}],"isError":true}`)
	case "die":
		fmt.Fprintln(os.Stderr, "panic: out of cheese")
		os.Exit(3)
	case "silent":
		fmt.Fprintln(os.Stderr, "called")
	case "huge":
		f.text(r, strings.Repeat(strings.Repeat("x", 1023)+"\n", 4<<10))
	case "gigabyte":
		io.WriteString(f.out, `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"`)
		for range 1 << 10 {
			if _, err := io.WriteString(f.out, strings.Repeat("x", 1<<20)); err != nil {
				os.Exit(0)
			}
		}
	case "junk":
		f.send("debug: about to answer")
		f.send(`{"not": "a message"}`)
		f.send("\x00\xff")
		f.text(r, "answered")
	case "junkflood":
		for {
			f.send("debug")
		}
	case "twice":
		f.text(r, "first")
		f.text(r, "second")
	case "flood":
		for range 100_000 {
			f.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
		}
		f.text(r, "after the flood")
	case "asks":
		for i := range 1000 {
			f.send(`{"jsonrpc":"2.0","id":"q%d","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`, i)
		}
		time.Sleep(time.Hour)
	case "mixed":
		f.result(r, `{"content":[{"type":"text","text":"one"},{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"audio","data":"AAAA","mimeType":"audio/wav"},`+
			`{"type":"resource_link","uri":"file:///a\u001b[31m","name":"a.txt","size":12},{"type":"resource","resource":{"uri":"demo://1","mimeType":"text/plain","text":"inside"}},`+
			`{"type":"resource","resource":{"uri":"demo://2","blob":"AAAA"}}]}`)
	case "structured":
		f.result(r, `{"content":[{"type":"text","text":"{ \"n\": 1 }"}],"structuredContent":{"n":1}}`)
	case "shape":
		f.result(r, `"a string"`)
	case "error":
		f.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"bad \u001b[2Jarguments"}}`, r.ID)
	case "mute":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "deep":
		f.result(r, `{"content":[],"structuredContent":%s}`, strings.Repeat("[", 1<<20)+strings.Repeat("]", 1<<20))
	case "env":
		f.text(r, strings.Join(os.Environ(), "\n"))
	case "child":
		child := exec.Command("sleep", "1000")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			f.text(r, err.Error())
			return
		}
		f.text(r, fmt.Sprint(child.Process.Pid))
	case "change":
		f.mode = `{"name":"echo","description":"new words LISTS","inputSchema":{"type":"object"}},{"name":"added","inputSchema":{"type":"object"}}`
		for range 1000 {
			f.send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
		f.text(r, "changed")
	case "input":
		f.result(r, `{"resultType":"input_required","content":[],"inputRequests":{"a":{"method":"elicitation/create","params":{"message":"Your password?","requestedSchema":{"type":"object","properties":{}}}}}}`)
	default:
		f.text(r, r.Params.Name+" "+string(r.Params.Arguments))
	}
}
