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
)

const lines = `{"seq":1,"time":"2026-11-21T03:15:22Z","type":"run_started","run_id":"r1","workflow":"docs"}
{"seq":2,"time":"2026-11-21T03:15:22Z","type":"step_started","run_id":"r1","step":"first","kind":"run"}
{"seq":3,"time":"2026-11-21T03:15:23Z","type":"step_finished","run_id":"r1","step":"first","status":"succeeded","duration_ms":1000}
{"seq":4,"time":"2026-11-21T03:15:23Z","type":"step_started","run_id":"r1","step":"pages","kind":"prompt"}
{"seq":5,"time":"2026-11-21T03:15:24Z","type":"turn_finished","run_id":"r1","step":"pages","index":0,"turn":1,"usage":{"input_tokens":100,"output_tokens":20},"cost_usd":0.5}
{"seq":6,"time":"2026-11-21T03:15:24Z","type":"call_finished","run_id":"r1","step":"pages","index":0,"tool":"write","input":{"filePath":"a"},"status":"denied","rule":"write: src/**"}
{"seq":7,"time":"2026-11-21T03:15:24Z","type":"call_finished","run_id":"r1","step":"pages","index":0,"tool":"read","input":{},"status":"succeeded","truncated":true}
{"seq":8,"time":"2026-11-21T03:15:25Z","type":"step_finished","run_id":"r1","step":"pages","index":0,"status":"failed","turns":1,"tool_calls":2,"error":"it broke","error_kind":"tool"}
{"seq":9,"time":"2026-11-21T03:15:26Z","type":"turn_finished","run_id":"r1","step":"pages","index":1,"turn":1,"usage":{"input_tokens":100,"output_tokens":20},"cost_usd":0.25}
{"seq":10,"time":"2026-11-21T03:15:2`

// reported is the report of a result that can be read.
func reported(t *testing.T, r *runner.Result, dir string) string {
	t.Helper()
	text, err := reportOf(r, nil, dir)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestReplayedReport puts together what a killed run was at, also from a last
// line that is cut off.
func TestReplayedReport(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "events.jsonl"), lines)
	r, err := runner.ReadResult(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(reported(t, r, "DIR"), dir, "DIR")
	want := `run r1: docs, cut off before it ended in 4.0s
  first                succeeded
  pages                cut off   2 turns, 2 calls, 1 denied, 240 tokens, $0.75
      [0] error: it broke (tool)
tokens: 200 in, 40 out; cost: $0.75
folder: DIR
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	data, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(data), `"steps":{"first":`) || !strings.Contains(string(data), `"truncated_outputs":1`) {
		t.Errorf("as JSON: %s, %v", data, err)
	}
}

func TestReplayedUnknownPrice(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "events.jsonl"), strings.ReplaceAll(lines, `,"cost_usd":0.25`, ""))
	r, err := runner.ReadResult(dir)
	if err != nil {
		t.Fatal(err)
	}
	if text := reported(t, r, dir); r.Cost.Known || !strings.Contains(text, "cost unknown") {
		t.Errorf("a cost that nobody knows is told: %s", text)
	}
}

func TestReportOfRunJSON(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "run.json"), `{"run_id": "r1", "workflow": {"name": "docs"}, "status": "failed",
  "error": {"step": "b", "kind": "tool", "message": "it\u001b[2J broke", "hint": "mend it"},
  "usage": {"input_tokens": 5, "output_tokens": 1}, "cost_usd": null, "unpriced_models": ["openai/x"],
  "steps": {"z": {"status": "succeeded"}, "a": {"status": "skipped"},
    "b": {"status": "failed", "stop_reason": "error", "turns": 1, "truncated_outputs": 2, "lost_outputs": 1, "error": {"kind": "tool", "message": "it broke"},
      "results": [{"index": 0, "status": "succeeded", "denied_calls": [{"tool": "read", "input": {"filePath": ".env"}, "rule": "read: .env"}]},
        {"index": 1, "status": "failed", "error": {"kind": "tool", "message": "it broke"}}],
      "denied_calls": [{"tool": "read", "input": {"filePath": ".env"}, "rule": "read: .env"}]}}}`)
	r, err := runner.ReadResult(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := `run r1: docs, failed
error: step "b": it\x1b[2J broke (tool)
hint: mend it
  z                    succeeded
  a                    skipped
  b                    failed    1 turn, 1 denied [error]
      error: it broke (tool)
      1 of 2 elements did not succeed (1 tool)
      [0] denied: read .env (read: .env)
      [1] error: it broke (tool)
tokens: 5 in, 1 out; cost unknown: no price for openai/x
2 outputs truncated; what was left out of 1 is lost, the whole of the others is in DIR/outputs
folder: DIR
`
	if diff := cmp.Diff(want, reported(t, r, "DIR")); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// TestReportOfElements has one that failed among many that were cancelled for it,
// a hint, a denied call with arguments of its own, and a group's earlier rounds.
func TestReportOfElements(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "run.json"), `{"run_id": "r1", "workflow": {"name": "docs"}, "status": "failed", "cost_usd": 0,
  "usage": {"input_tokens": 0, "output_tokens": 0},
  "steps": {"loop": {"status": "succeeded", "rounds": 3},
    "all": {"status": "failed", "error": {"kind": "timeout", "message": "element 1: late"}, "results": [
      {"index": 0, "status": "cancelled", "error": {"kind": "cancelled", "message": "cancelled: another step failed"}},
      {"index": 1, "status": "failed", "error": {"kind": "timeout", "message": "late", "hint": "raise timeout"},
       "denied_calls": [{"tool": "note", "input": {
            "message": "hi",
            "to": "all"
          }}]},
      {"index": 2, "status": "cancelled", "error": {"kind": "cancelled", "message": "cancelled: another step failed"}}]}}}`)
	r, err := runner.ReadResult(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := `run r1: docs, failed
  loop                 succeeded
      round 3; what was before it is in DIR/steps/loop/@round-1 and so on
  all                  failed
      error: element 1: late (timeout)
      3 of 3 elements did not succeed (2 cancelled, 1 timeout)
      [1] denied: note {"message":"hi","to":"all"}
      [1] error: late (timeout)
      hint: raise timeout
      2 elements: cancelled: another step failed
tokens: 0 in, 0 out; cost: $0.00
folder: DIR
`
	if diff := cmp.Diff(want, reported(t, r, "DIR")); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestReportsThatCantBeRead(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"nothing":      {},
		"no JSON":      {"run.json": "{"},
		"wrong types":  {"run.json": `{"steps": []}`},
		"no events":    {"events.jsonl": ""},
		"no JSON line": {"events.jsonl": "one\ntwo\n"},
	} {
		dir := t.TempDir()
		for file, text := range files {
			write(t, filepath.Join(dir, file), text)
		}
		if r, err := runner.ReadResult(dir); err == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func FuzzReport(f *testing.F) {
	f.Add(lines, "{}")
	f.Add("", `{"steps": {"a": null}}`)
	f.Fuzz(func(t *testing.T, events, run string) {
		for file, text := range map[string]string{"events.jsonl": events, "run.json": run} {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := runner.ReadResult(dir)
			if err != nil {
				continue
			}
			text, _ := reportOf(r, nil, "DIR")
			if strings.ContainsFunc(text, func(c rune) bool { return c != '\n' && term.Hidden(c) }) {
				t.Errorf("hidden characters in %q", text)
			}
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
