package host_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
)

// runIn runs a workflow in the folder of a run, for its status.
func runIn(t *testing.T, file, dir string, inputs map[string]any, set map[string]string) steps.Status {
	t.Helper()
	h, err := host.Open(t.Context(), host.Options{File: file, Environment: variables(set), Inputs: inputs, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	result, err := h.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return result.Status
}

// TestLastUnfinished: the run that is gone on with is the last one that did not
// succeed, unless a later one can't be read.
func TestLastUnfinished(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "good.yaml", "name: good\nsteps: [{run: 'true'}]\n")
	put(t, "bad.yaml", "name: bad\nsteps: [{run: 'false'}]\n")
	set := map[string]string{"PATH": os.Getenv("PATH")}
	find := func(any bool) string {
		began, err := host.LastUnfinished("runs", any)
		if err != nil {
			return err.Error()
		}
		return filepath.Base(began.Dir) + " of " + began.Workflow.File
	}
	check := func(what, unfinished, last string) {
		t.Helper()
		if got := find(false); !strings.Contains(got, unfinished) {
			t.Errorf("%s: %s, want %s", what, got, unfinished)
		}
		if got := find(true); !strings.Contains(got, last) {
			t.Errorf("%s: any: %s, want %s", what, got, last)
		}
	}
	check("no folder", "there is no run under runs", "there is no run under runs")
	if err := os.Mkdir("runs", 0o700); err != nil {
		t.Fatal(err)
	}
	check("no run", "there is no run under runs", "there is no run under runs")
	runIn(t, "good.yaml", "runs/20260101-000000-aaaa", nil, set)
	check("one that succeeded", "no run under runs is left to resume: all have succeeded", "aaaa of good.yaml")
	runIn(t, "bad.yaml", "runs/20260102-000000-bbbb", nil, set)
	runIn(t, "bad.yaml", "runs/20260103-000000-cccc", nil, set)
	runIn(t, "good.yaml", "runs/20260104-000000-dddd", nil, set)
	check("several", "cccc of bad.yaml", "dddd of good.yaml")
	runIn(t, "good.yaml", "runs/20260104-000001-killed", nil, set)
	text, err := os.ReadFile("runs/20260104-000001-killed/journal.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSpace(string(text)), "\n")
	put(t, "runs/20260104-000001-killed/journal.jsonl", strings.Join(lines[:len(lines)-1], ""))
	check("one whose end was never written", "killed of good.yaml", "killed of good.yaml")
	if err := os.RemoveAll("runs/20260104-000001-killed"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("runs/20990105-000000-eeee", 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, "runs/20990105-000000-eeee/journal.jsonl", "")
	check("one that did not start", "cccc of bad.yaml", "dddd of good.yaml")
	put(t, "runs/20990105-000000-eeee/journal.jsonl", `{"kind":"run","version":99,"data":{"run_id":"x","steps":[],"inputs":{}}}`+"\n")
	check("one that can't be read", "the last run, \"20990105-000000-eeee\", can't be read", "can't be read")
}

const resumedFlow = `name: flow
secrets: [TOKEN]
inputs: {word: {type: string}, many: {type: integer, default: 1}}
steps: [{id: say, run: "false ${{ inputs.word }}"}]
`

// TestResumeChanged changes a workflow between a run and the next: what differs has
// to be wanted, and the inputs have to be there still.
func TestResumeChanged(t *testing.T) {
	for _, tt := range []struct {
		name, was, is string // a text of the file, and what stands there later
		token         string // later
		wanted        bool
		wants         string // in the error and its hint
	}{
		{"nothing", "", "", "tok-5f2e9c", false, ""},
		{"nothing, though it is wanted", "", "", "tok-5f2e9c", true, ""},
		{"a step", "false $", "true $", "tok-5f2e9c", false, "the files have changed since the run began: step \"say\" has changed"},
		{"a step, as wanted", "false $", "true $", "tok-5f2e9c", true, ""},
		{"an input that is new", "{word", "{more: {type: string}, word", "tok-5f2e9c", true, `input "more" is missing`},
		{"an input that is gone", ", many: {type: integer, default: 1}", "", "tok-5f2e9c", true, ""},
		{"an input of another type", "many: {type: integer, default: 1}", "many: {type: boolean, default: true}", "tok-5f2e9c", true, `start a new run`},
		{"a secret that is another", "", "", "tok-00000000", false, `input "word" contained a secret`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, "flow.yaml", resumedFlow)
			set := map[string]string{"PATH": os.Getenv("PATH"), "TOKEN": "tok-5f2e9c"}
			runIn(t, "flow.yaml", "run", map[string]any{"word": "with tok-5f2e9c in it", "many": 2}, set)
			now := strings.Replace(resumedFlow, tt.was, tt.is, 1)
			put(t, "flow.yaml", now)
			set["TOKEN"] = tt.token
			result, said := opensAndRuns(t, host.Options{Environment: variables(set), Dir: "run", Resume: &runner.Resumption{Changed: tt.wanted}})
			switch {
			case tt.wants != "":
				if !strings.Contains(said, tt.wants) {
					t.Errorf("%s, want %s", said, tt.wants)
				}
				return
			case result == nil:
				t.Fatal(said)
			}
			if _, has := result.Inputs["many"]; has != strings.Contains(now, "many:") || result.Inputs["word"] != "with tok-5f2e9c in it" {
				t.Errorf("the inputs are %v", result.Inputs)
			}
			if succeeds := strings.Contains(now, "true $"); succeeds != (result.Status == steps.Succeeded) {
				t.Errorf("the run with the files as they are %s", result.Status)
			}
		})
	}
}

// opensAndRuns runs a workflow; without a result nothing ran, for what is said.
func opensAndRuns(t *testing.T, o host.Options) (*runner.Result, string) {
	t.Helper()
	h, err := host.Open(t.Context(), o)
	if err != nil {
		return nil, told(err)
	}
	defer h.Close()
	result, err := h.Run(t.Context())
	return result, told(err)
}

// TestResumeFillsIn: a run is resumed by its folder alone; what is given beside that must not
// be another than that of the run, whose records would not be true any more.
func TestResumeFillsIn(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("here", 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, "flow.yaml", resumedFlow)
	put(t, "a.script.yaml", "steps: {'*': [{text: Done.}]}\n")
	env := variables(map[string]string{"PATH": os.Getenv("PATH"), "TOKEN": "tok-5f2e9c"})
	first, said := opensAndRuns(t, host.Options{
		File: "flow.yaml", Environment: env, ID: "one", Dir: "run", Workspace: "here", Model: "script/a.script.yaml", MaxParallel: 3,
		Inputs: map[string]any{"word": "hello", "many": 2},
	})
	if first == nil {
		t.Fatal(said)
	}
	began := func() *runner.Beginning {
		b, err := runner.ReadBeginning("run")
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	before := began()
	for _, tt := range []struct {
		name   string
		change func(*host.Options)
		wants  string // in the error; "": it goes on
	}{
		{"nothing else", func(*host.Options) {}, ""},
		{"the same", func(o *host.Options) { o.File, o.ID = "flow.yaml", "one" }, ""},
		{"how it began", func(o *host.Options) { o.Began, o.Dir = began(), "" }, ""},
		{"another id", func(o *host.Options) { o.ID = "two" }, "is one, and not two"},
		{"an input", func(o *host.Options) { o.Inputs = map[string]any{"word": "hello"} }, "Inputs and Workspace are those of the run"},
		{"a workspace", func(o *host.Options) { o.Workspace = "here" }, "Inputs and Workspace are those of the run"},
		{"another folder", func(o *host.Options) { o.Dir = "there" }, "there can't be read"},
		{"no folder", func(o *host.Options) { o.Dir = "" }, "the folder or the id of the run to resume must be set"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := host.Options{Environment: env, Dir: "run", Resume: &runner.Resumption{}}
			tt.change(&o)
			result, said := opensAndRuns(t, o)
			switch {
			case tt.wants != "" && (result != nil || !strings.HasPrefix(said, "invalid_input: ") || !strings.Contains(said, tt.wants)):
				t.Errorf("%v %s, want %s", result, said, tt.wants)
			case tt.wants == "" && (result == nil || result.RunID != "one" || result.Inputs["word"] != "hello"):
				t.Errorf("%v %s", result, said)
			}
			if after := began(); !reflect.DeepEqual(after, before) {
				t.Errorf("the run began as %v, and before as %v", after, before)
			}
		})
	}
}

// TestResumeForeignInputs: inputs that a model may have named are that also in a later process.
func TestResumeForeignInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "flow.yaml", "name: flow\ninputs: {path: {type: string}}\nsteps: [{id: say, run: \"echo ${{ file(inputs.path) }}; false\"}]\n")
	put(t, ".env", "A=secret\n")
	env := variables(map[string]string{"PATH": os.Getenv("PATH")})
	for _, o := range []host.Options{
		{File: "flow.yaml", Environment: env, Dir: "run", Foreign: true, Inputs: map[string]any{"path": ".env"}},
		{Environment: env, Dir: "run", Resume: &runner.Resumption{}},
	} {
		result, said := opensAndRuns(t, o)
		if result == nil || result.Error == nil || !strings.Contains(result.Error.Message, "a model may have named the path") {
			t.Errorf("resumed: %v: %s, %+v", o.Resume != nil, said, result)
		}
	}
}

// A resume has the budget of the run, unless it is given another.
func TestResumeWithAnotherBudget(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "flow.yaml", "name: flow\nmodel: script/model.yaml\nprices: {script/model.yaml: {input: 1, output: 1}}\nsteps: [{id: say, prompt: hi}]\n")
	put(t, "model.yaml", "steps: {say: [{text: hello}]}\n")
	none, some := 1e-9, 1.0
	for _, tt := range []struct {
		resume *runner.Resumption
		budget *float64
		want   steps.Status
	}{
		{nil, &none, steps.Stopped},
		{&runner.Resumption{}, nil, steps.Stopped},
		{&runner.Resumption{}, &some, steps.Succeeded},
	} {
		h, err := host.Open(t.Context(), host.Options{File: "flow.yaml", Dir: "run", Resume: tt.resume, BudgetUSD: tt.budget, Environment: variables(nil)})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		r, err := h.Run(t.Context())
		if err != nil || r.Status != tt.want {
			t.Fatalf("resumed %v, budget %v: %+v, %v", tt.resume != nil, tt.budget, r, err)
		}
	}
}

// A run in which a process works is not resumed, and no other folder would help.
func TestResumeOfARunThatIsBusy(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "flow.yaml", "name: flow\nsteps: [{run: exit 1}]\n")
	runIn(t, "flow.yaml", "run", nil, nil)
	held, err := os.Open("run/journal.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := unix.Flock(int(held.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	_, err = host.Open(t.Context(), host.Options{Dir: "run", Resume: &runner.Resumption{}, Environment: variables(nil)})
	var wrong *steps.Error
	if !errors.As(err, &wrong) || wrong.Kind != steps.KindInvalidInput || wrong.Option != "" || !strings.Contains(wrong.Message, "process") {
		t.Errorf("%+v", wrong)
	}
}
