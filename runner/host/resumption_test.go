package host_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		dir, began, err := host.LastUnfinished("runs", any)
		if err != nil {
			return err.Error()
		}
		return filepath.Base(dir) + " of " + began.File
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
	check("no folder", "no run under runs is unfinished", "no run under runs is unfinished")
	if err := os.Mkdir("runs", 0o700); err != nil {
		t.Fatal(err)
	}
	check("no run", "no run under runs is unfinished", "no run under runs is unfinished")
	runIn(t, "good.yaml", "runs/20260101-000000-aaaa", nil, set)
	check("one that succeeded", "is unfinished", "aaaa of good.yaml")
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
	check("one that never began", "cccc of bad.yaml", "dddd of good.yaml")
	put(t, "runs/20990105-000000-eeee/journal.jsonl", `{"kind":"run","version":99,"data":{"run_id":"x","steps":[],"inputs":{}}}`+"\n")
	check("one that can't be read", "the last run, 20990105-000000-eeee, can't be read", "can't be read")
}

// TestCheckResumption changes a workflow between a run and the next: what differs has
// to be wanted, and the inputs have to be there still.
func TestCheckResumption(t *testing.T) {
	const flow = `name: flow
secrets: [TOKEN]
inputs: {word: {type: string}, many: {type: integer, default: 1}}
steps: [{id: say, run: "false ${{ inputs.word }}"}]
`
	for _, tt := range []struct {
		name, was, is string // a text of the file, and what stands there later
		token         string // later
		wanted        bool
		changed       bool
		wants         string // in the error and its hint
	}{
		{"nothing", "", "", "tok-5f2e9c", false, false, ""},
		{"nothing, though it is wanted", "", "", "tok-5f2e9c", true, false, ""},
		{"a step", "false $", "true $", "tok-5f2e9c", false, false, "the run was made of other files; what differs: step say"},
		{"a step, as wanted", "false $", "true $", "tok-5f2e9c", true, true, ""},
		{"an input that is new", "{word", "{more: {type: string}, word", "tok-5f2e9c", true, false, `input "more" is missing`},
		{"an input that is gone", ", many: {type: integer, default: 1}", "", "tok-5f2e9c", true, false, ""},
		{"an input of another type", "many: {type: integer, default: 1}", "many: {type: boolean, default: true}", "tok-5f2e9c", true, false, `run the workflow again`},
		{"a secret that is another", "", "", "tok-00000000", false, false, `input "word" held a secret`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, "flow.yaml", flow)
			set := map[string]string{"PATH": os.Getenv("PATH"), "TOKEN": "tok-5f2e9c"}
			runIn(t, "flow.yaml", "run", map[string]any{"word": "with tok-5f2e9c in it", "many": 2}, set)
			put(t, "flow.yaml", strings.Replace(flow, tt.was, tt.is, 1))
			set["TOKEN"] = tt.token
			w, found := host.Load("flow.yaml", host.LoadOptions{Environment: variables(set)})
			if w == nil {
				t.Fatal(found)
			}
			began, err := runner.ReadBeginning("run")
			if err != nil {
				t.Fatal(err)
			}
			changed, err := w.CheckResumption(began, tt.wanted)
			if _, has := began.Inputs["many"]; tt.wants == "" && has != strings.Contains(strings.Replace(flow, tt.was, tt.is, 1), "many:") {
				t.Errorf("the inputs are %v", began.Inputs)
			}
			var told *steps.Error
			switch {
			case tt.wants == "" && err != nil, tt.wants != "" && (!errors.As(err, &told) || told.Kind != steps.KindInvalidInput):
				t.Errorf("%v, want %q", err, tt.wants)
			case tt.wants != "" && !strings.Contains(told.Message+"\n"+told.Hint, tt.wants):
				t.Errorf("%s (%s), want %q", told.Message, told.Hint, tt.wants)
			case tt.wants == "" && (changed != tt.changed || began.Inputs["word"] != "with tok-5f2e9c in it"):
				t.Errorf("changed: %v, inputs %v", changed, began.Inputs)
			}
		})
	}
}
