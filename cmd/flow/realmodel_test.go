//go:build live

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestLive runs the whole of flow against the models that FLOW_LIVE names, such
// as ollama/qwen3:0.6b,openai-chat/small, with the variables of their services as
// they are. Without it a service on loopback plays the model, so that the tests
// are tested.
//
//	FLOW_LIVE=ollama/qwen3:0.6b go test -tags live -run TestLive -v ./cmd/flow
func TestLive(t *testing.T) {
	env := os.Environ()
	refs := strings.FieldsFunc(os.Getenv("FLOW_LIVE"), func(r rune) bool { return r == ',' || r == ' ' })
	if len(refs) == 0 {
		server := httptest.NewServer(http.HandlerFunc(playModel))
		defer server.Close()
		refs, env = []string{"openai-chat/played"}, append(env, "OPENAI_BASE_URL="+server.URL+"/v1")
		t.Log("FLOW_LIVE names no model: a service on loopback plays one")
	}
	for _, ref := range refs {
		l := realModel{ref: ref, env: env}
		t.Run(ref, func(t *testing.T) {
			t.Run("text", l.text)
			t.Run("structured output", l.structured)
			t.Run("tool", l.tool)
			t.Run("cancelled in the middle", l.cancelled)
		})
	}
}

type realModel struct {
	ref string
	env []string
}

// ran is what a run has left.
type ran struct {
	stdout, stderr string
	events         []map[string]any
	result         struct {
		Status string
		Usage  struct {
			Input  int `json:"input_tokens"`
			Output int `json:"output_tokens"`
		}
		Steps map[string]struct {
			Text      string
			Output    any
			ToolCalls int `json:"tool_calls"`
		}
	}
}

// command is a run of a workflow of one step, in a folder of its own.
func (l realModel) command(t *testing.T, step string) (run *exec.Cmd, dir string) {
	dir = t.TempDir()
	for name, text := range map[string]string{
		"flow.yaml": "name: live\nparams: {temperature: 0, max_output_tokens: 2000}\nsteps:\n  - id: ask\n    timeout: 5m\n" + step,
		"word.txt":  "The secret word is heron.\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run = exec.Command("flow", "run", "flow.yaml", "--model", l.ref, "--run-dir", "run", "--events", "events.jsonl")
	run.Dir, run.Env = dir, l.env
	return run, dir
}

// run runs a step that must succeed.
func (l realModel) run(t *testing.T, step string) ran {
	t.Helper()
	run, dir := l.command(t, step)
	var stdout, stderr bytes.Buffer
	run.Stdout, run.Stderr = &stdout, &stderr
	err := run.Run()
	t.Logf("%s\n%s", stdout.String(), stderr.String())
	if err != nil {
		t.Fatal(err)
	}
	r := left(t, dir)
	r.stdout, r.stderr = stdout.String(), stderr.String()
	if r.result.Status != "succeeded" || r.result.Usage.Input <= 0 || r.result.Usage.Output <= 0 {
		t.Errorf("status %s, usage %+v", r.result.Status, r.result.Usage)
	}
	return r
}

func left(t *testing.T, dir string) (r ran) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "run", "run.json"))
	if err == nil {
		err = json.Unmarshal(data, &r.result)
	}
	if err != nil {
		t.Fatal(err)
	}
	events, err := os.Open(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	for decoder := json.NewDecoder(events); ; {
		var e map[string]any
		if err := decoder.Decode(&e); err == io.EOF {
			return r
		} else if err != nil {
			t.Fatal(err)
		}
		r.events = append(r.events, e)
	}
}

// count counts the events of a type.
func (r ran) count(eventType string) (n int) {
	for _, e := range r.events {
		if e["type"] == eventType {
			n++
		}
	}
	return n
}

// text is streamed: it comes in several pieces.
func (l realModel) text(t *testing.T) {
	r := l.run(t, "    prompt: Write two short sentences about rain.\n")
	if strings.TrimSpace(r.stdout) == "" || r.count("block_delta") < 2 {
		t.Errorf("%q in %d pieces", r.stdout, r.count("block_delta"))
	}
}

func (l realModel) structured(t *testing.T) {
	r := l.run(t, `    prompt: In which country is the city of Paris? Answer with the city and the country.
    output: {type: object, properties: {city: {type: string}, country: {type: string}}, required: [city, country], additionalProperties: false}
`)
	output, _ := r.result.Steps["ask"].Output.(map[string]any)
	if city, _ := output["city"].(string); city == "" || len(output) != 2 {
		t.Errorf("output %v", r.result.Steps["ask"].Output)
	}
}

// tool has a model call one, and tell what it got. A very small model may not.
func (l realModel) tool(t *testing.T) {
	r := l.run(t, `    prompt: Read the file word.txt with the tool read, and tell me the secret word that is in it.
    tools: [read]
`)
	if r.result.Steps["ask"].ToolCalls == 0 || r.count("call_finished") == 0 || !strings.Contains(r.stdout, "heron") {
		t.Errorf("%d calls, %q: does the model know how to call tools?", r.result.Steps["ask"].ToolCalls, r.stdout)
	}
}

// cancelled interrupts the run at the first piece of a long text.
func (l realModel) cancelled(t *testing.T) {
	run, dir := l.command(t, "    prompt: Count from 1 to 500 in words, one number a line.\n")
	run.Args = append(run.Args[:len(run.Args)-1], "-")
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	var interrupted time.Time
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if interrupted.IsZero() && strings.Contains(lines.Text(), `"type":"block_delta"`) {
			interrupted = time.Now()
			if err := run.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		}
	}
	var ended *exec.ExitError
	if err := run.Wait(); !errors.As(err, &ended) || ended.ExitCode() != 130 {
		t.Errorf("ended with %v, want 130", err)
	}
	if took := time.Since(interrupted); interrupted.IsZero() || took > 15*time.Second {
		t.Errorf("ended %v after the interrupt", took)
	}
	data, err := os.ReadFile(filepath.Join(dir, "run", "run.json"))
	if err != nil || !bytes.Contains(data, []byte(`"cancelled"`)) {
		t.Errorf("%v: %s", err, data)
	}
}

// playModel is a model that does what these tests ask of one.
func playModel(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	var asked struct {
		Tools []struct{ Function struct{ Name string } }
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta, finish string) {
		fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":%s,"finish_reason":%s}],"usage":{"prompt_tokens":9,"completion_tokens":3}}`+"\n\n", delta, finish)
		http.NewResponseController(w).Flush()
	}
	call := func(name, arguments string) {
		chunk(fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"call_1","function":{"name":%q,"arguments":%q}}]}`, name, arguments), `"tool_calls"`)
	}
	says := func(text string) bool { return bytes.Contains(body, []byte(text)) }
	switch {
	case says("Count from"):
		for i := 0; r.Context().Err() == nil; i++ {
			chunk(fmt.Sprintf(`{"content":"%d\n"}`, i), "null")
			time.Sleep(5 * time.Millisecond)
		}
	case says("Paris") && len(asked.Tools) > 0:
		call(asked.Tools[len(asked.Tools)-1].Function.Name, `{"city":"Paris","country":"France"}`)
	case says("secret word") && !says(`"role":"tool"`):
		call("read", `{"filePath":"word.txt"}`)
	default:
		for _, piece := range []string{"It rains. ", "A heron ", "stands in it."} {
			chunk(fmt.Sprintf(`{"content":%q}`, piece), "null")
		}
		chunk("{}", `"stop"`)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}
