package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// demo is a server that behaves, with the tools echo and grow, which adds one.
func demo() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "demo", Version: "1"}, nil)
	type input struct {
		Text string `json:"text"`
	}
	say := func(_ context.Context, _ *sdk.CallToolRequest, in input) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "echo " + in.Text}}}, nil, nil
	}
	sdk.AddTool(server, &sdk.Tool{Name: "echo", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}, say)
	sdk.AddTool(server, &sdk.Tool{Name: "grow"}, func(ctx context.Context, r *sdk.CallToolRequest, in input) (*sdk.CallToolResult, any, error) {
		sdk.AddTool(server, &sdk.Tool{Name: "grown"}, say)
		return say(ctx, r, in)
	})
	return server
}

// reach makes a server that is reached at a URL.
func reach(t *testing.T, url string) *bench {
	return reachIn(t, url, patience)
}

// reachIn does not wait for any answer longer than that.
func reachIn(t *testing.T, url string, longest time.Duration) *bench {
	return start(t, "", func(o *Options) {
		o.Command, o.URL, o.Headers = nil, url, map[string]string{"Authorization": "Bearer key"}
		o.StartupTimeout, o.Timeout, o.listAge = longest, longest, time.Nanosecond
	})
}

func TestInMemory(t *testing.T) {
	ours, theirs := sdk.NewInMemoryTransports()
	session, err := demo().Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	b := start(t, "", func(o *Options) { o.transport = ours })
	echo := b.tool(t, "echo")
	if got, failed, err := call(t.Context(), t, echo, `{"text":"a"}`); got != "echo a" || failed || err != nil {
		t.Errorf("%q %v %v", got, failed, err)
	}
	if e := echo.Effects(nil); e.All || len(e.Writes) > 0 || len(e.Reads) != 1 {
		t.Errorf("effects of a tool that only reads: %+v", e)
	}
	if e := b.tool(t, "grow").Effects(nil); !e.All {
		t.Errorf("effects of another: %+v", e)
	}
}

// TestHTTP reaches servers in each of the ways of the transport.
func TestHTTP(t *testing.T) {
	cases := []struct {
		name    string
		options *sdk.StreamableHTTPOptions
	}{
		{"streams", nil},
		{"JSON", &sdk.StreamableHTTPOptions{JSONResponse: true}},
		{"without sessions", &sdk.StreamableHTTPOptions{Stateless: true}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			server := demo()
			handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, c.options)
			var keyless atomic.Int32
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer key" {
					keyless.Add(1)
				}
				handler.ServeHTTP(w, r)
			}))
			defer web.Close()
			b := reach(t, web.URL)
			if got, failed, err := call(t.Context(), t, b.tool(t, "grow"), `{"text":"a"}`); got != "echo a" || failed || err != nil {
				t.Errorf("%q %v %v", got, failed, err)
			}
			if c.options == nil {
				b.tool(t, "grown")
			}
			if keyless.Load() > 0 {
				t.Errorf("%d requests were without the header", keyless.Load())
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// amiss answers the beginning of a session well, and a call as told.
func amiss(answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, _ := io.ReadAll(r.Body)
		var asked request
		if json.Unmarshal(body, &asked) != nil || len(asked.ID) == 0 {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		result := `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"f","version":"1"}}`
		switch asked.Method {
		case "initialize":
		case "tools/list":
			result = `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			answer(w, r.WithContext(context.WithValue(r.Context(), idKey{}, string(asked.ID))))
			return
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, asked.ID)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, asked.ID, result)
	}
}

type idKey struct{}

// TestReplacedTransport reaches a server in a program that has put something else
// in the place of Go's own transport.
func TestReplacedTransport(t *testing.T) {
	theirs := http.DefaultTransport
	http.DefaultTransport = http.NewFileTransport(http.Dir(t.TempDir()))
	t.Cleanup(func() { http.DefaultTransport = theirs })
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return demo() }, nil)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	b := reach(t, server.URL)
	if got, failed, err := call(t.Context(), t, b.tool(t, "echo"), `{"text":"a"}`); got != "echo a" || failed || err != nil {
		t.Errorf("%q %v %v", got, failed, err)
	}
}

// TestHTTPAmiss has servers that misbehave in a call. None is waited for longer
// than a call may take, and none of them fills the memory.
func TestHTTPAmiss(t *testing.T) {
	endless := func(w io.Writer, head, unit string) {
		io.WriteString(w, head)
		for {
			if _, err := io.WriteString(w, unit); err != nil {
				return
			}
		}
	}
	cases := []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"a body without end", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			endless(w, `{"jsonrpc":"2.0","result":"`, strings.Repeat("x", 64<<10))
		}, "it sent more than 8 MiB"},
		{"an event without end", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			endless(w, `data: "`, strings.Repeat("x", 64<<10))
		}, "exceeded 8388608 bytes"},
		{"events without end", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			endless(w, "", "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":1}}\n\n")
		}, ""},
		{"no answer", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "no answer within 2s"},
		{"no JSON", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "<html>")
		}, "failed to decode response"},
		{"an error of the proxy before it", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "bad", http.StatusBadGateway) }, "Bad Gateway"},
		{"a redirect to another server", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://localhost:1/steal", http.StatusTemporaryRedirect)
		}, "which is another server: that is not followed"},
		{"redirects without end", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
		}, "more than 5 redirects"},
		{"a connection that is cut", func(w http.ResponseWriter, _ *http.Request) {
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				conn.Close()
			}
		}, "EOF"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(amiss(c.answer))
			t.Cleanup(web.Close)
			longest := patience
			if c.name == "no answer" || c.name == "events without end" {
				longest = 2 * time.Second
			}
			tool := reachIn(t, web.URL, longest).tool(t, "t")
			got, failed, err := call(t.Context(), t, tool, `{}`)
			if err != nil || !failed || !strings.Contains(got, c.want) {
				t.Errorf("%q, failed: %v, %v; want %q", got, failed, err, c.want)
			}
		})
	}
}

// TestHTTPStart has servers that can't be talked to.
func TestHTTPStart(t *testing.T) {
	cases := []struct {
		name    string
		handler http.HandlerFunc
		want    string
	}{
		{"refused", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) }, "Unauthorized"},
		{"silent", func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() }, "no answer within 2s"},
		{"a page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html>")
		}, "unsupported content type"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(c.handler)
			t.Cleanup(web.Close)
			if _, err := reachIn(t, web.URL, 2*time.Second).Tools(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestRefusedStart has a connection that breaks at the first request: that is the cause,
// and not the end of the connection, which follows at once and may be seen first.
func TestRefusedStart(t *testing.T) {
	for range 1000 {
		b := start(t, "", func(o *Options) { o.Command, o.transport = nil, refusing{} })
		if _, err := b.Tools(t.Context()); err == nil || !strings.Contains(err.Error(), "it is a page") {
			t.Fatalf("error %v", err)
		}
	}
}

// A refusing transport makes connections that send nothing.
type refusing struct{}

func (refusing) Connect(context.Context) (sdk.Connection, error) {
	return &refused{done: make(chan struct{})}, nil
}

type refused struct {
	done chan struct{}
	once sync.Once
}

func (*refused) SessionID() string { return "" }

func (*refused) Write(context.Context, jsonrpc.Message) error { return errors.New("it is a page") }

func (r *refused) Read(context.Context) (jsonrpc.Message, error) {
	<-r.done
	return nil, io.EOF
}

func (r *refused) Close() error {
	r.once.Do(func() { close(r.done) })
	return nil
}

// TestListedOnce has a server that lists its tools once, and then answers calls only. One warning says
// so, and its tools stay those that it had.
func TestListedOnce(t *testing.T) {
	var lists atomic.Int32
	inner := amiss(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"fine"}]}}`, r.Context().Value(idKey{}))
	})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(`"tools/list"`)) && lists.Add(1) > 1 {
			<-r.Context().Done()
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		inner(w, r)
	}))
	t.Cleanup(web.Close)
	b := reach(t, web.URL)
	b.o.Timeout = 100 * time.Millisecond
	for range 3 {
		b.tool(t, "t")
	}
	b.o.Timeout, b.o.listAge = time.Minute, time.Hour
	if got, failed, err := call(t.Context(), t, b.tool(t, "t"), `{}`); got != "fine" || failed || err != nil || lists.Load() < 2 {
		t.Errorf("%q %v %v, asked %d times", got, failed, err, lists.Load())
	}
	if want := `MCP server "fake" does not list its tools again, and is used with those that it had`; strings.Count(b.told(), want) != 1 || strings.Contains(b.told(), "\n") {
		t.Errorf("warnings %q\nwant one: %q", b.told(), want)
	}
}

// TestListAge has a server that always lists its tools, and is not asked for each caller.
func TestListAge(t *testing.T) {
	var lists atomic.Int32
	inner := amiss(nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(`"tools/list"`)) {
			lists.Add(1)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		inner(w, r)
	}))
	t.Cleanup(web.Close)
	b := reach(t, web.URL)
	for _, c := range []struct {
		age   time.Duration
		lists int32
	}{{time.Hour, 1}, {time.Nanosecond, 51}} {
		b.o.listAge = c.age
		for range 50 {
			b.tool(t, "t")
		}
		if got := lists.Load(); got != c.lists {
			t.Errorf("with %v it was asked %d times, want %d", c.age, got, c.lists)
		}
	}
}

// TestSilentStream has a server that never answers who listens for its notifications.
func TestSilentStream(t *testing.T) {
	inner := amiss(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"fine"}]}}`, r.Context().Value(idKey{}))
	})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			<-r.Context().Done()
			return
		}
		inner(w, r)
	}))
	t.Cleanup(web.Close)
	b := reach(t, web.URL)
	b.o.StartupTimeout = time.Minute
	if got, failed, err := call(t.Context(), t, b.tool(t, "t"), `{}`); got != "fine" || failed || err != nil {
		t.Errorf("%q %v %v", got, failed, err)
	}
}
