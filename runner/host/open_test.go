package host_test

import (
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers/providertest"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// TestErrorsOfOpen: a program finds out of an error what kind it is, and which inputs are wrong.
func TestErrorsOfOpen(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "flow.yaml", "name: x\ninputs: {one: {type: string}, two: {type: integer}}\nsteps: [{run: 'true'}]\n")
	put(t, "wrong.yaml", "name: x\nstepz: []\n")
	put(t, "keyless.yaml", "name: x\nsteps: [{prompt: hi}]\n")
	nan := math.NaN()
	loaded, found := host.Load("flow.yaml", host.LoadOptions{Environment: variables(nil)})
	if loaded == nil {
		t.Fatal(found)
	}
	put(t, "plain.yaml", "name: x\nsteps: [{run: 'true'}]\n")
	put(t, "file", "x")
	if err := os.Mkdir("done", 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, "done/journal.jsonl", "x\n")
	for _, tt := range []struct {
		name  string
		o     host.Options
		kind  steps.Kind
		says  string
		wrong []string // the inputs
	}{
		{"nothing", host.Options{}, steps.KindInvalidInput, "File or Loaded must be set", nil},
		{"a file and a workflow", host.Options{File: "flow.yaml", Loaded: loaded}, steps.KindInvalidInput, "both File and Loaded are set; set one of them", nil},
		{"an id that leaves the folder of runs", host.Options{File: "flow.yaml", ID: "../../x"}, steps.KindInvalidInput, `invalid run id "../../x"`, nil},
		{"an id that is an option", host.Options{File: "flow.yaml", ID: "-x"}, steps.KindInvalidInput, `invalid run id "-x"`, nil},
		{"a resumed run's id", host.Options{ID: "..", Resume: &runner.Resumption{}}, steps.KindInvalidInput, `invalid run id ".."`, nil},
		{"no number of dollars", host.Options{File: "flow.yaml", BudgetUSD: &nan}, steps.KindInvalidInput, "BudgetUSD is NaN", nil},
		{"another environment", host.Options{Loaded: loaded, Environment: variables(nil)}, steps.KindInvalidInput, "Environment must not be set with Loaded, which has its own", nil},
		{"a folder that is a file", host.Options{File: "plain.yaml", Dir: "file"}, steps.KindInvalidInput, `/file is not a folder`, nil},
		{"a folder in a file", host.Options{File: "plain.yaml", Dir: "file/a/b"}, steps.KindInvalidInput, `/file is not a folder`, nil},
		{"a folder with a run", host.Options{File: "plain.yaml", Dir: "done"}, steps.KindInvalidInput, `/done": it already contains a run`, nil},
		{"a tool of the environment", host.Options{File: "flow.yaml", Environment: host.Environment{Tools: []tools.Tool{texted{}}}}, steps.KindConfiguration, `"type": "object" is expected`, nil},
		{"no such file", host.Options{File: "none.yaml"}, steps.KindInvalidWorkflow, "none.yaml", nil},
		{"a mistake", host.Options{File: "wrong.yaml"}, steps.KindInvalidWorkflow, "stepz", nil},
		{"no model", host.Options{File: "keyless.yaml"}, steps.KindConfiguration, "has no model", nil},
		{"inputs", host.Options{File: "flow.yaml", Inputs: map[string]any{"two": "x", "three": 3}}, steps.KindInvalidInput, "three", []string{"one", "three", "two"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.o.Loaded == nil && tt.o.Environment.Tools == nil {
				tt.o.Environment = variables(nil)
			}
			_, err := host.Open(t.Context(), tt.o)
			if err == nil || steps.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("%s: %v, want %s: %s", steps.KindOf(err), err, tt.kind, tt.says)
			}
			if got := wrongInputs(err); !slices.Equal(got, tt.wrong) {
				t.Errorf("the wrong inputs are %q, want %q", got, tt.wrong)
			}
		})
	}
}

// A texted tool takes a text, which no call has.
type texted struct{ dice }

func (texted) Spec() tools.Spec {
	return tools.Spec{Name: "dice", Parameters: []byte(`{"type":"string"}`)}
}

// TestFolderThatCannotBeMade: the option is named whose folder can't be made.
func TestFolderThatCannotBeMade(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("SKIPPED: root may write everywhere")
	}
	t.Chdir(t.TempDir())
	put(t, "flow.yaml", "name: x\nsteps: [{run: 'true'}]\n")
	if err := os.Mkdir("closed", 0o500); err != nil {
		t.Fatal(err)
	}
	for dir, says := range map[string]string{"closed/a/run": "no permission to write in ", "closed": "no permission to write in "} {
		_, err := host.Open(t.Context(), host.Options{File: "flow.yaml", Environment: variables(nil), Dir: dir})
		var wrong *steps.Error
		if !errors.As(err, &wrong) || wrong.Option != runner.OptionDir || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", dir, err, says)
		}
	}
}

// TestFolderInWhichNoRunBegan: a process that was killed just as its run was to begin leaves a
// journal without a record, which keeps nobody from the folder.
func TestFolderInWhichNoRunBegan(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "flow.yaml", "name: x\nsteps: [{run: 'true'}]\n")
	o := host.Options{File: "flow.yaml", Environment: variables(map[string]string{"PATH": os.Getenv("PATH")}), Dir: "run"}
	for _, text := range []string{"", `{"seq":1,"time":"2026-1`} {
		if err := os.RemoveAll("run"); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir("run", 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, "run/journal.jsonl", text)
		if result, said := opensAndRuns(t, o); result == nil || result.Status != steps.Succeeded {
			t.Errorf("%q: %s", text, said)
		}
	}
	if _, err := host.Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "it already contains a run") {
		t.Error(err)
	}
}

// TestRunOfThisProcess: who opens a run in which this process works is told so at once.
func TestRunOfThisProcess(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "flow.yaml", "name: x\nsteps: [{ask: Well?}]\n")
	o := host.Options{File: "flow.yaml", Environment: variables(nil), Dir: "run"}
	again := map[string]host.Options{"a new one": o, "the same": {Dir: "run", Resume: &runner.Resumption{}, Environment: o.Environment}}
	o.Question = func(context.Context, *runner.Question) (any, error) {
		for name, o := range again {
			if _, err := host.Open(t.Context(), o); steps.KindOf(err) != steps.KindInvalidInput || !strings.Contains(err.Error(), " has been working on this run since ") {
				t.Errorf("%s: %v", name, err)
			}
		}
		return "yes", nil
	}
	if result, said := opensAndRuns(t, o); result == nil || result.Status != steps.Succeeded {
		t.Error(said, result)
	}
}

// wrongInputs returns the names of the inputs that an error is about, sorted.
func wrongInputs(err error) (names []string) {
	var one *workflows.InputError
	if !errors.As(err, &one) {
		return nil
	}
	for ; err != nil; err = errors.Unwrap(err) {
		if all, isJoined := err.(interface{ Unwrap() []error }); isJoined {
			for _, err := range all.Unwrap() {
				if errors.As(err, &one) {
					names = append(names, one.Name)
				}
			}
			break
		}
	}
	slices.Sort(names)
	return names
}

// TestOpenedOnce: a host runs once, and not after it was closed.
func TestOpenedOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "flow.yaml", "name: x\nsteps: [{run: 'true'}]\n")
	open := func(o host.Options) *host.Host {
		o.File, o.Environment = "flow.yaml", variables(map[string]string{"PATH": os.Getenv("PATH")})
		h, err := host.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	refused := func(h *host.Host, says string) {
		t.Helper()
		if result, err := h.Run(t.Context()); result != nil || steps.KindOf(err) != steps.KindInvalidInput || err.Error() != says {
			t.Errorf("%v, %v; want %s", result, err, says)
		}
		for range 2 {
			if err := h.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	h := open(host.Options{})
	if result, err := h.Run(t.Context()); err != nil || result.Status != steps.Succeeded {
		t.Errorf("%v, %v", result, err)
	}
	refused(h, "the workflow was run already")
	h = open(host.Options{})
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	refused(h, "the workflow was closed already")
	refused(open(host.Options{PlanOnly: true}), "the workflow was opened with PlanOnly and can't run")
}

// TestCloseLeavesNoConnection: the connections of a run end with it, but those of models that
// others share stay.
func TestCloseLeavesNoConnection(t *testing.T) {
	for _, shared := range []bool{false, true} {
		ended := make(chan struct{})
		var open atomic.Int32
		service := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			providertest.Answer(w, providertest.Chat{}, providertest.Reply{Text: "Yes."})
		}))
		service.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				open.Add(1)
			case http.StateClosed:
				if open.Add(-1) == 0 {
					close(ended)
				}
			}
		}
		service.Start()
		dir := t.TempDir()
		put(t, filepath.Join(dir, "flow.yaml"), "name: x\nsteps: [{prompt: Well?, model: openai-chat/gpt-5}]\n")
		env := variables(map[string]string{"OPENAI_BASE_URL": service.URL + "/v1", "OPENAI_API_KEY": "sk-0123456789"})
		o := host.Options{File: filepath.Join(dir, "flow.yaml"), Environment: env, Dir: filepath.Join(dir, "run")}
		if shared {
			o.Models = host.NewModels(env)
		}
		if result, said := opensAndRuns(t, o); result == nil || result.Status != steps.Succeeded {
			t.Fatal(said, result)
		}
		if shared {
			if open.Load() != 1 {
				t.Errorf("%d connections of shared models", open.Load())
			}
			o.Models.CloseIdleConnections()
		}
		<-ended
		service.Close()
	}
}
