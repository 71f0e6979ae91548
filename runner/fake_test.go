package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/google/go-cmp/cmp"
)

// A fakeModel answers with what its function makes of a request.
type fakeModel struct {
	ref    string
	answer func(ctx context.Context, req providers.Request) (providers.Message, error)
}

func (f fakeModel) Info() providers.Info {
	return providers.Info{Ref: f.ref, Provider: "fake", StructuredOutput: true}
}

func (f fakeModel) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	answer, err := f.answer(ctx, req)
	answer.Role, answer.Model, answer.Provider = providers.RoleAssistant, f.ref, "fake"
	for i, block := range answer.Blocks {
		emit(providers.Event{Type: providers.BlockStarted, Index: i, Block: block})
		emit(providers.Event{Type: providers.BlockFinished, Index: i, Block: block})
	}
	return answer, err
}

func says(text string) providers.Message {
	m := providers.UserText(text)
	m.Finish = providers.FinishStop
	return m
}

func calls(names ...string) providers.Message {
	m := providers.Message{Finish: providers.FinishToolCalls}
	for i, name := range names {
		m.Blocks = append(m.Blocks, providers.Block{
			Type: providers.BlockToolCall, ID: fmt.Sprintf("call_%d", i), Name: name, Arguments: json.RawMessage(fmt.Sprintf(`{"n": %d}`, i)),
		})
	}
	return m
}

// echo is a tool that says its arguments.
type echo struct{ name string }

func (e echo) Spec() tools.Spec {
	return tools.Spec{Name: e.name, Description: "Say it again", Parameters: json.RawMessage(`{"type": "object"}`)}
}

func (echo) Effects(json.RawMessage) tools.Effects { return tools.Effects{} }

func (echo) Run(_ context.Context, arguments json.RawMessage, out *tools.Output) (tools.Result, error) {
	_, err := fmt.Fprintf(out, "echo %s", arguments)
	return tools.Result{}, err
}

type allowAll struct{}

func (allowAll) Decide(context.Context, string, json.RawMessage) tools.Decision {
	return tools.Decision{Verdict: tools.Allow}
}
func (allowAll) Offered(string) bool { return true }

// A trial is one run of a workflow in a folder of its own.
type trial struct {
	t      *testing.T
	dir    string
	ctx    context.Context
	inputs map[string]any
	answer func(ctx context.Context, req providers.Request) (providers.Message, error)
	change func(*Options)

	mu     sync.Mutex
	events []Event
}

func newTrial(t *testing.T) *trial {
	return &trial{t: t, dir: t.TempDir(), ctx: t.Context(), answer: func(_ context.Context, req providers.Request) (providers.Message, error) {
		return says("said: " + req.Prompt), nil
	}}
}

func (tr *trial) run(source string) *Result {
	tr.t.Helper()
	result, err := tr.try(source)
	if err != nil {
		tr.t.Fatalf("nothing ran: %v", err)
	}
	tr.readAgain()
	return result
}

// readAgain checks that the journal has all that run.json has.
func (tr *trial) readAgain() {
	tr.t.Helper()
	written, err := os.ReadFile(filepath.Join(tr.dir, "run/run.json"))
	if err != nil { // the test has removed it
		return
	}
	result, err := ReadResult(filepath.Join(tr.dir, "run"))
	if err != nil {
		tr.t.Fatalf("the journal can't be read: %v", err)
	}
	var read strings.Builder
	if err := result.WriteJSON(&read, nil); err != nil {
		tr.t.Fatal(err)
	}
	if diff := cmp.Diff(string(written), read.String()); diff != "" {
		tr.t.Errorf("the journal is not as run.json (-run.json +journal):\n%s", diff)
	}
	tr.checkForms()
}

func (tr *trial) try(source string) (*Result, error) {
	tr.t.Helper()
	w, diagnostics := workflows.Load("flow.yaml", workflows.Options{ReadFile: func(path string) ([]byte, error) {
		if path == "flow.yaml" {
			return []byte(source), nil
		}
		return os.ReadFile(filepath.Join(tr.dir, path))
	}})
	if diagnostics.HasErrors() {
		tr.t.Fatalf("the workflow of the test is wrong: %v", diagnostics)
	}
	inputs, err := w.CheckInputs(tr.inputs)
	if err != nil {
		tr.t.Fatal(err)
	}
	o := Options{
		Workflow: w, Inputs: inputs, ID: "r1", Dir: filepath.Join(tr.dir, "run"), Workspace: tr.dir,
		Models: func(ref string, _ *workflows.Workflow) (providers.Model, error) {
			return fakeModel{ref, tr.answer}, nil
		},
		Tools: func(context.Context, ToolScope) (Toolbox, error) {
			return Toolbox{Guard: allowAll{}, Find: func(name string) []tools.Tool { return []tools.Tool{echo{name}} }}, nil
		},
		Environment: func([]string, map[string]string) []string { return []string{"PATH=" + os.Getenv("PATH")} },
		LookupEnv:   func(string) (string, bool) { return "", false },
		Price:       func(string, providers.Usage) (float64, bool) { return 0, true },
		Deltas:      true,
		Observe: func(e Event) {
			tr.mu.Lock()
			defer tr.mu.Unlock()
			tr.events = append(tr.events, e)
		},
	}
	o.passWork = throughJSON
	o.passSync = func(*os.File) error { return nil } // the machine does not crash
	if tr.change != nil {
		tr.change(&o)
	}
	return Run(tr.ctx, o)
}

// statuses lists what became of each step, in the file's order.
func statuses(r *Result) string {
	var all []string
	for _, s := range r.Steps {
		all = append(all, s.path+"="+string(s.Status))
	}
	return strings.Join(all, " ")
}

func (tr *trial) file(path string) string {
	tr.t.Helper()
	data, err := os.ReadFile(filepath.Join(tr.dir, path))
	if err != nil {
		tr.t.Fatal(err)
	}
	return string(data)
}

// elementsOf are the results of a foreach.
func elementsOf(t *testing.T, r *StepResult) []*ElementResult {
	t.Helper()
	var all []*ElementResult
	for element, err := range r.Elements() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, element)
	}
	return all
}

// write makes a file of the workspace.
func (tr *trial) write(path, content string) {
	tr.t.Helper()
	path = filepath.Join(tr.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		tr.t.Fatal(err)
	}
}

// throughJSON is what another machine, or a later process, has of a Work: all
// tests run what came out of it.
func throughJSON(w *Work) (*Work, error) {
	data, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	again := &Work{}
	return again, jsonline.Decode(data, again)
}

// unitOf reads the address of a unit.
func unitOf(t *testing.T, text string) journal.Address {
	t.Helper()
	u, err := journal.ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// modelsBy are models that answer by their reference.
func modelsBy(answer func(ref string, req providers.Request) (providers.Message, error)) func(string, *workflows.Workflow) (providers.Model, error) {
	return func(ref string, _ *workflows.Workflow) (providers.Model, error) {
		return fakeModel{ref, func(_ context.Context, req providers.Request) (providers.Message, error) { return answer(ref, req) }}, nil
	}
}
