package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal/journaltest"
)

const lines = `{"kind":"run","version":1,"data":{"run_id":"r1","workflow":{"name":"docs"},"steps":[{"path":"first","kind":"run"},{"path":"pages","kind":"prompt"}],"inputs":{}}}
{"kind":"began","unit":"first~1"}
{"kind":"ended","unit":"first","status":"succeeded","data":{"status":"succeeded"}}
{"kind":"decided","unit":"pages","about":"elements","count":3,"data":["a","b","c"]}
{"kind":"said","unit":"pages[0]~1","spent":{"tokens":120,"cost_usd":0.5},"data":{"turn":1,"message":{"role":"assistant","blocks":[{"type":"tool_call","id":"c","name":"write","arguments":{"filePath":"a"}},{"type":"tool_call","id":"d","name":"read","arguments":{}}]},"used":[{"model":"a/b","usage":{"input_tokens":100,"output_tokens":20}}]}}
{"kind":"answer","unit":"pages[0]~1","call":"c","status":"denied","data":{"turn":1,"place":0,"status":"denied","rule":"write: src/**"}}
{"kind":"answer","unit":"pages[0]~1","call":"d","status":"succeeded","data":{"turn":1,"place":1,"status":"succeeded","truncated":true}}
{"kind":"ended","unit":"pages[0]","status":"failed","reason":"tool","data":{"status":"failed","error":{"kind":"tool","message":"it broke"}}}
{"kind":"said","unit":"pages[1]~1","spent":{"tokens":120,"cost_usd":0.25},"data":{"turn":1,"message":{"role":"assistant","blocks":[]},"used":[{"model":"a/b","usage":{"input_tokens":100,"output_tokens":20}}]}}
{"seq":10,"time":"2026-11-21T03:15:2`

// readJournal is the result of a run with these records.
func readJournal(t *testing.T, records string) *runner.Result {
	t.Helper()
	dir := t.TempDir()
	journaltest.Write(t, dir, records)
	r, err := runner.ReadResult(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// reported is the report of a result that can be read.
func reported(t *testing.T, r *runner.Result, dir string) string {
	t.Helper()
	text, err := reportOf(r, nil, dir)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestReportOfARunThatWasKilled tells how far it was.
func TestReportOfARunThatWasKilled(t *testing.T) {
	r := readJournal(t, lines)
	want := `run r1: docs, cut off before it ended in 8.0s
  first                succeeded
  pages                cut off   2 turns, 2 calls, 1 denied, 240 tokens, $0.75
      [0] error: it broke (tool)
      denied: write a (write: src/**)
tokens: 200 in, 40 out; cost: $0.75
folder: DIR
`
	if diff := cmp.Diff(want, reported(t, r, "DIR")); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	data, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(data), `"steps":{"first":`) || !strings.Contains(string(data), `"truncated_outputs":1`) {
		t.Errorf("as JSON: %s, %v", data, err)
	}
}

func TestReportOfAnUnknownPrice(t *testing.T) {
	r := readJournal(t, strings.ReplaceAll(lines, `,"cost_usd":0.25}`, `},"unpriced":["a/b"]`))
	if text := reported(t, r, "DIR"); r.Cost.Known || !strings.Contains(text, "cost unknown") {
		t.Errorf("a cost that nobody knows is told: %s", text)
	}
}

func FuzzReport(f *testing.F) {
	f.Add(lines)
	f.Fuzz(func(t *testing.T, records string) {
		dir := t.TempDir()
		journaltest.Write(t, dir, records)
		r, err := runner.ReadResult(dir)
		if err != nil {
			return
		}
		text, _ := reportOf(r, nil, "DIR")
		if strings.ContainsFunc(text, func(c rune) bool { return c != '\n' && term.Hidden(c) }) {
			t.Errorf("hidden characters in %q", text)
		}
	})
}

func TestKeysKeepTheirOrder(t *testing.T) {
	got := keysOf(json.RawMessage(`{"z": 1, "a": {"b": 2}, "m": [3]}`))
	if diff := cmp.Diff([]string{"z", "a", "m"}, got); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	for _, text := range []string{"", "[]", "{", `{"a"`, "null"} {
		if keys := keysOf(json.RawMessage(text)); len(keys) > 1 {
			t.Errorf("keysOf(%q) = %v", text, keys)
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
