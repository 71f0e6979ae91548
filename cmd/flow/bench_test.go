package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkFlow measures whole runs of the program against a model service on loopback that answers at
// once: their time, that of the processor, and their peak memory. FLOW_BENCH names another program to
// measure, such as one of an earlier version.
//
//	go test ./cmd/flow -run '^$' -bench Flow -benchtime 5x -count 5 >new.txt && benchstat old.txt new.txt
func BenchmarkFlow(b *testing.B) {
	flow := os.Getenv("FLOW_BENCH")
	if flow == "" {
		flow = filepath.Join(b.TempDir(), "flow")
		build := exec.Command("go", "build", "-o", flow, ".")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			b.Fatal(err)
		}
	}
	service := httptest.NewServer(http.HandlerFunc(playModel))
	b.Cleanup(service.Close)
	for _, w := range works(1) {
		b.Run(w.name, func(b *testing.B) {
			var cpu time.Duration
			var peak int64
			for b.Loop() {
				used := w.run(b, flow, service.URL)
				cpu += used.UserTime() + used.SystemTime()
				if usage, ok := used.SysUsage().(*syscall.Rusage); ok { // kilobytes on Linux
					peak = max(peak, int64(usage.Maxrss))
				}
			}
			b.ReportMetric(float64(cpu.Nanoseconds())/float64(b.N), "cpu-ns/op")
			b.ReportMetric(float64(peak)*1024, "peak-bytes")
		})
	}
}

// TestWorks does everything that is measured once, as small as it can be.
func TestWorks(t *testing.T) {
	flow, err := exec.LookPath("flow")
	if err != nil {
		t.Fatal(err)
	}
	service := httptest.NewServer(http.HandlerFunc(playModel))
	t.Cleanup(service.Close)
	for _, w := range works(1000) {
		t.Run(w.name, func(t *testing.T) { w.run(t, flow, service.URL) })
	}
}

// A work is what one process of the program is measured by.
type work struct {
	name  string
	args  []string
	files map[string]string
}

// run does the work in a new folder.
func (w work) run(t testing.TB, flow, service string) *os.ProcessState {
	dir := t.TempDir()
	for name, text := range w.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(flow, w.args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=none", "OPENAI_BASE_URL="+service+"/v1", "NO_COLOR=1", "CI=1")
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	return cmd.ProcessState
}

// works are what is measured, with their numbers divided by shrink.
func works(shrink int) []work {
	of := func(n int) int { return max(n/shrink, min(n, 2)) }
	return []work{
		{name: "version", args: []string{"version"}},
		agents("one turn", "text", 1, 1),
		agents("ten turns with a read each", "read", of(10), 1),
		agents("ten turns with four commands each", "sleep", of(10), 1),
		agents("200 turns with a read each", "read", of(200), 1),
		agents("200 agents of ten turns", "read", of(10), of(200)),
		agents("1,000 elements of one turn", "text", 1, of(1_000)),
		agents("10,000 elements of one turn", "text", 1, of(10_000)),
		printing(of(27 << 20)),
		commands("1,000 commands in sequence", "", of(1_000)),
		commands("1,000 commands at once", ", needs: []", of(1_000)),
		{name: "validate 1,000 steps", args: []string{"validate", "flow.yaml"}, files: map[string]string{"flow.yaml": longFile(of(1_000))}},
	}
}

// runs returns a work that runs a workflow.
func runs(name, workflow string) work {
	return work{name: name, args: []string{"run", "--output", "none", "flow.yaml"}, files: map[string]string{
		"flow.yaml": workflow, "data.txt": strings.Repeat("A line of a file that is read again and again.\n", 40),
	}}
}

// agents returns conversations of so many turns.
func agents(name, kind string, turns, elements int) work {
	return runs(name, fmt.Sprintf(`name: bench
model: openai-chat/%s-%d
tools: [read, bash]
permissions: {bash: {"sleep *": allow}}
stop: {max_turns: 1000}
steps:
  - {id: only, prompt: Go., foreach: "${{ 1..%d }}", max_parallel: 64}
`, kind, turns, elements))
}

// printing returns a model's command that prints so many bytes.
func printing(bytes int) work {
	w := runs("a command that prints 27 MB", `{name: bench, model: openai-chat/print-2, tools: [bash], permissions: {bash: {"sh print.sh": allow}}, steps: [{prompt: Go.}]}`)
	w.files["print.sh"] = fmt.Sprintf("head -c %d /dev/zero | tr '\\0' 'x' | fold -w 99\n", bytes)
	return w
}

// commands returns steps that run a command each.
func commands(name, more string, n int) work {
	return runs(name, "name: commands\nsteps:\n"+strings.Repeat("  - {run: \"true\""+more+"}\n", n))
}

// longFile returns agents that refer to each other.
func longFile(n int) string {
	var b strings.Builder
	b.WriteString("name: long\nmodel: openai-chat/text-1\ntools: [read, grep]\nsteps:\n")
	before := ""
	for i := range n {
		fmt.Fprintf(&b, "  - id: s%d\n    prompt: Step %d%s.\n    output: {type: object, properties: {word: {type: string}}, required: [word]}\n", i, i, before)
		before = fmt.Sprintf(" after ${{ steps.s%d.output.word }}", i)
	}
	return b.String()
}

// playModel is a service that speaks Chat Completions. The model's name says what it does: kind-turns.
// Each turn but the last calls tools.
func playModel(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Model    string
		Messages []struct{ Role string }
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, `{"error": {"message": "this is no request"}}`, http.StatusBadRequest)
		return
	}
	kind, count, _ := strings.Cut(request.Model, "-")
	turns, _ := strconv.Atoi(count)
	turn := 1
	for _, m := range request.Messages {
		if m.Role == "assistant" {
			turn++
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	reason := "stop"
	if turn < turns {
		reason = "tool_calls"
		for i, arguments := range playedCalls(kind, turn) {
			name := map[bool]string{true: "read", false: "bash"}[kind == "read"]
			writeChunk(w, fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"call_%d","type":"function","function":{"name":%q,"arguments":%q}}]}`, i, i, name, arguments))
		}
	} else {
		for _, word := range strings.SplitAfter("This is the answer of a model that did what it was asked for. ", " ") {
			writeChunk(w, fmt.Sprintf(`{"content":%q}`, word))
		}
	}
	fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},"finish_reason":%q}],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}}`+"\n\n", reason)
	io.WriteString(w, "data: [DONE]\n\n")
}

// playedCalls returns the arguments of a turn's calls. No two turns ask for the same.
func playedCalls(kind string, turn int) (all []string) {
	switch kind {
	case "read":
		return []string{fmt.Sprintf(`{"filePath":"data.txt","offset":%d}`, turn%40)}
	case "print":
		return []string{`{"command":"sh print.sh","description":"print"}`}
	}
	for i := range 4 {
		all = append(all, fmt.Sprintf(`{"command":"sleep 0.1 # %d %d","description":"wait"}`, turn, i))
	}
	return all
}

func writeChunk(w io.Writer, delta string) {
	fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":%s}]}`+"\n\n", delta)
}
