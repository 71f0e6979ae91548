package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	collectmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectspans "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A collector receives spans and metrics over HTTP.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	spans   []*spans.Span
	metrics map[string]bool
	text    bytes.Buffer // all that came
}

func newCollector(t *testing.T) *collector {
	c := &collector{metrics: map[string]bool{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := c.take(r); err != nil {
			t.Error(err)
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	t.Cleanup(c.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	return c
}

func (c *collector) take(r *http.Request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(body)
		if err != nil {
			return err
		}
		body = unzipped
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	c.text.Write(data)
	if r.URL.Path == "/v1/metrics" {
		var all collectmetrics.ExportMetricsServiceRequest
		if err := proto.Unmarshal(data, &all); err != nil {
			return err
		}
		for _, m := range all.ResourceMetrics[0].ScopeMetrics[0].Metrics {
			c.metrics[m.Name] = true
		}
		return nil
	}
	var all collectspans.ExportTraceServiceRequest
	if err := proto.Unmarshal(data, &all); err != nil {
		return err
	}
	for _, of := range all.ResourceSpans {
		for _, scope := range of.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
	return nil
}

// path names a span with all that are around it, and turns by their number, too.
func (c *collector) path(s *spans.Span) string {
	if turn := attributesOf(s)["flow.turn"]; turn != "" && !strings.HasSuffix(s.Name, ")") {
		s.Name += " (" + turn + ")"
	}
	for _, around := range c.spans {
		if bytes.Equal(around.SpanId, s.ParentSpanId) {
			return c.path(around) + " > " + s.Name
		}
	}
	return s.Name
}

// named returns the only span with a path.
func (c *collector) named(t *testing.T, path string) *spans.Span {
	t.Helper()
	var found []*spans.Span
	for _, s := range c.spans {
		if c.path(s) == path {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		var all []string
		for _, s := range c.spans {
			all = append(all, c.path(s))
		}
		t.Fatalf("%d spans are %s, of\n%s", len(found), path, strings.Join(all, "\n"))
	}
	return found[0]
}

// check checks some attributes of the only span with a path.
func (c *collector) check(t *testing.T, path string, want map[string]string) {
	t.Helper()
	got := attributesOf(c.named(t, path))
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%s: %s is %q, want %q", path, key, got[key], value)
		}
	}
}

func (c *collector) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.spans)
}

func attributesOf(s *spans.Span) map[string]string {
	all := map[string]string{}
	for _, a := range s.Attributes {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			all[a.Key] = v.StringValue
		default:
			all[a.Key] = strings.TrimSpace(strings.SplitN(a.Value.String(), ":", 2)[1])
		}
	}
	return all
}

// folder has a workflow that uses another one, and where a step is retried.
func folder(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"flow.yaml": `name: docs
model: script/s.yaml
prices: {script/s.yaml: {input: 3, output: 15}}
tools: [bash]
permissions: {bash: allow}
secrets: [HIDDEN]
steps:
  - id: pages
    foreach: [a, b]
    prompt: Document page-${{ item }} for ${{ env.HIDDEN }}.
  - {id: shaky, run: "test -e tried || { touch tried; exit 3; }", retry: {max_attempts: 2, backoff: 1ms}}
  - {id: inner, uses: used.yaml}
  - {id: last, run: "echo $TRACEPARENT >header; test -e go"}
`,
		"used.yaml": "name: used\nsteps:\n  - {id: one, run: echo x}\n",
		"s.yaml": `steps:
  "*":
    - calls: [{name: bash, arguments: {command: "echo $TRACEPARENT", description: shows it}}]
      usage: {input_tokens: 1000, output_tokens: 100}
    - calls: [{name: read, arguments: {filePath: ../outside}}]
    - text: the answer
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func runFlow(t *testing.T, dir string, change func(*host.Options)) *runner.Result {
	t.Helper()
	o := host.Options{File: filepath.Join(dir, "flow.yaml"), Workspace: dir, Dir: filepath.Join(dir, "run"), Traced: true, Environment: host.Environment{
		Lookup: func(name string) (string, bool) {
			if name == "HIDDEN" {
				return "secret-5f2e9c", true
			}
			return os.LookupEnv(name)
		},
	}}
	if change != nil {
		change(&o)
	}
	h, err := host.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	result, err := h.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func sendRun(t *testing.T, dir string) {
	t.Helper()
	if err := run(t.Context(), []string{filepath.Join(dir, "run")}, nil); err != nil {
		t.Fatal(err)
	}
}

// TestSpans: a run is a trace with a span for each step, element, attempt, turn and call, and what a
// command gets as TRACEPARENT is the span that is sent. Nothing that was said is sent. A resumed run is a
// trace that links to the one before, here in a trace around it.
func TestSpans(t *testing.T) {
	dir, c := folder(t), newCollector(t)
	if r := runFlow(t, dir, nil); r.Status != steps.Failed || r.Error.Step != "last" {
		t.Fatalf("%s: %+v", r.Status, r.Error)
	}
	sendRun(t, dir)
	c.check(t, "run docs", map[string]string{"flow.workflow.name": "docs", "flow.status": "failed", "error.type": "command"})
	for _, page := range []string{"run docs > step pages > element pages[0]", "run docs > step pages > element pages[1]"} {
		c.check(t, page, map[string]string{"flow.status": "succeeded"})
		agent := page + " > invoke_agent pages"
		c.check(t, agent, map[string]string{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "pages", "gen_ai.provider.name": "script", "gen_ai.request.model": "s.yaml"})
		c.check(t, agent+" > chat script/s.yaml (1)", map[string]string{
			"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": "1000", "gen_ai.usage.output_tokens": "100", "flow.cost_usd": "0.0045", "gen_ai.response.model": "s.yaml",
		})
		c.check(t, agent+" > chat script/s.yaml (1) > execute_tool bash", map[string]string{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "bash", "flow.status": "succeeded"})
		c.check(t, agent+" > chat script/s.yaml (2) > execute_tool read", map[string]string{"error.type": "failed"})
		c.check(t, agent+" > chat script/s.yaml (3)", nil)
	}
	c.check(t, "run docs > step shaky > attempt shaky~1", map[string]string{"flow.status": "failed", "error.type": "command"})
	c.check(t, "run docs > step shaky > attempt shaky~2", map[string]string{"flow.status": "succeeded"})
	c.check(t, "run docs > step inner > attempt inner~1 > step inner/one > attempt inner/one~1", map[string]string{"flow.step.path": "inner/one"})
	if len(c.metrics) != 5 {
		t.Errorf("metrics: %v", c.metrics)
	}
	for _, said := range []string{"Document page", "the answer", "shows it", "outside", "secret-5f2e9c"} {
		if strings.Contains(c.text.String(), said) {
			t.Errorf("%q was sent", said)
		}
	}
	last, root := c.named(t, "run docs > step last > attempt last~1"), c.named(t, "run docs")
	header, _ := os.ReadFile(filepath.Join(dir, "header"))
	if want := fmt.Sprintf("00-%x-%x-01\n", last.TraceId, last.SpanId); string(header) != want || len(root.ParentSpanId) != 0 || len(root.Links) != 0 {
		t.Errorf("a command got %s, want %s; the root: %v", header, want, root)
	}

	again := newCollector(t)
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const around = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	if r := runFlow(t, dir, func(o *host.Options) { o.Resume, o.TraceParent, o.Workspace = &runner.Resumption{}, around, "" }); r.Status != steps.Succeeded {
		t.Fatalf("%s: %+v", r.Status, r.Error)
	}
	sendRun(t, dir)
	resumed := again.named(t, "run docs")
	if got := fmt.Sprintf("00-%x-%x-01", resumed.TraceId, resumed.ParentSpanId); got != around {
		t.Errorf("resumed in %s", got)
	}
	if len(resumed.Links) != 1 || !bytes.Equal(resumed.Links[0].TraceId, root.TraceId) || !bytes.Equal(resumed.Links[0].SpanId, root.SpanId) {
		t.Errorf("links %v", resumed.Links)
	}
	again.check(t, "run docs > step last > attempt last~2", map[string]string{"flow.status": "succeeded"})
	if len(again.spans) != 3 {
		t.Errorf("%d spans for a step that ran again", len(again.spans))
	}
}

// TestContents: what was said is sent if it is asked for, without secrets.
func TestContents(t *testing.T) {
	dir, c := folder(t), newCollector(t)
	t.Setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
	runFlow(t, dir, nil)
	sendRun(t, dir)
	agent := "run docs > step pages > element pages[0] > invoke_agent pages"
	turn := c.named(t, agent+" > chat script/s.yaml (1)")
	call := c.named(t, agent+" > chat script/s.yaml (1) > execute_tool bash")
	if got := attributesOf(c.named(t, agent))["gen_ai.input.messages"]; !strings.Contains(got, "Document page-a for ***") {
		t.Errorf("prompt: %s", got)
	}
	if got := attributesOf(turn)["gen_ai.output.messages"]; !strings.Contains(got, `"tool_call"`) || !strings.Contains(got, "shows it") {
		t.Errorf("turn: %s", got)
	}
	if got, want := attributesOf(call)["gen_ai.tool.call.result"], fmt.Sprintf("00-%x-%x-01", call.TraceId, call.SpanId); !strings.Contains(got, want) {
		t.Errorf("a command of a call got %s, want %s", got, want)
	}
	if strings.Contains(c.text.String(), "secret-5f2e9c") {
		t.Error("a secret was sent")
	}
}

// TestFollow: spans are sent while the run goes on, and those of a process that was killed end with it.
func TestFollow(t *testing.T) {
	dir, c := folder(t), newCollector(t)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
	runFlow(t, dir, nil)
	journal := filepath.Join(dir, "run", "journal.jsonl")
	whole, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	write := func(data []byte) {
		if err := os.WriteFile(journal, data, 0o600); err != nil {
			t.Error(err)
		}
	}
	write(bytes.Join(lines[:len(lines)/2], nil))
	stdin, end := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- run(t.Context(), []string{"--follow", filepath.Join(dir, "run")}, stdin) }()
	for c.count() == 0 {
		time.Sleep(time.Millisecond)
	}
	grown, err := os.OpenFile(journal, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer grown.Close()
	for _, line := range lines[len(lines)/2 : len(lines)-3] {
		for _, half := range [][]byte{line[:len(line)/2], line[len(line)/2:]} {
			if _, err := grown.Write(half); err != nil {
				t.Fatal(err)
			}
		}
	}
	end.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	c.check(t, "run docs", map[string]string{"flow.status": "failed", "error.type": "cut_off"})
	c.check(t, "run docs > step last > attempt last~1", map[string]string{"flow.status": "open"})
}

// TestDeadCollector: what can't be sent is an error, after the time that it may take.
func TestDeadCollector(t *testing.T) {
	dir, hanging := folder(t), make(chan struct{})
	c := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hanging }))
	defer c.Close()
	defer close(hanging)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_BSP_EXPORT_TIMEOUT", "OTEL_METRIC_EXPORT_TIMEOUT"} {
		t.Setenv(name, "50")
	}
	runFlow(t, dir, nil)
	if err := run(t.Context(), []string{filepath.Join(dir, "run")}, nil); err == nil {
		t.Error("a collector that hangs is no error")
	}
}
