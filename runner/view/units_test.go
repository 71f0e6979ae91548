package view

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A run with rounds, elements, retries, denied calls, questions, and files that change.
var grows = `{"kind":"decided","unit":"f","about":"elements","count":3,"data":{"items":["v","w","x"]}}
{"kind":"began","unit":"f[0]~1","label":"v"}
{"kind":"began","unit":"f[1]~1","label":"w"}
` + spends("f[0]~1", 5, "") + `{"kind":"call","unit":"f[0]~1","call":"c","data":{"tool":"bash","arguments":{"command":"ls"}}}
{"kind":"answer","unit":"f[0]~1","call":"c","status":"succeeded","used":{"tool_calls":1},"data":{"status":"succeeded"}}
{"kind":"answer","unit":"f[0]~1","call":"d","status":"denied","used":{"tool_calls":1},"data":{"status":"denied","rule":"bash: *, no terminal to ask on","tool":"bash","arguments":{"command":"rm x"}}}
{"kind":"ended","unit":"f[0]","status":"succeeded","data":{"status":"succeeded"}}
{"kind":"again","unit":"f[1]~1","status":"failed","reason":"tool","data":{"status":"failed","error":{"kind":"tool","message":"no"}}}
{"kind":"began","unit":"f[1]~2"}
{"kind":"warned","data":{"message":"careful"}}
{"kind":"warned","unit":"f[1]~2","data":{"message":"slow"}}
{"kind":"ended","unit":"f[1]","status":"failed","reason":"tool","data":{"status":"failed","error":{"kind":"tool","message":"no"}}}
{"kind":"began","unit":"g~1"}
{"kind":"began","unit":"g/b#1~1"}
` + spends("g/b#1~1", 7, "") + `{"kind":"ended","unit":"g/b#1","status":"failed","data":{"status":"failed","error":{"kind":"tool","message":"again"}}}
{"kind":"began","unit":"g/b#2~1"}
{"kind":"asked","unit":"a~1","data":{"text":"Go?"}}
{"kind":"end","status":"waiting","data":{"status":"waiting","finished_at":"2026-11-22T11:00:00Z","duration_ms":70000,"cost_usd":1}}
{"kind":"resumed","from":["f[0]"],"data":{"options":{"budget_usd":3}}}
{"kind":"answered","unit":"a~1","data":{"value":"yes"}}
{"kind":"began","unit":"f[0]~2","label":"v"}
` + spends("f[0]~2", 9, "") + `{"kind":"ended","unit":"f[0]","status":"succeeded","data":{"status":"succeeded"}}
{"kind":"resumed","changed":true,"data":{"start":{"run_id":"r","workflow":{"name":"w"},"inputs":{},"budget":{"cost_usd":2},"steps":[{"path":"f","kind":"prompt"},{"path":"g"}]}}}
{"kind":"decided","unit":"f","about":"elements","count":3,"data":{"items":["v","w","x"]}}
{"kind":"decided","about":"keep","unit":"f[0]","count":26,"status":"succeeded","data":{"status":"succeeded"}}
{"kind":"began","unit":"f[2]~1","label":"x"}
`

// seen is all that is known of the units of a run.
func (u *Units) seen(t *testing.T) string {
	t.Helper()
	rows := map[string]any{}
	for _, row := range u.Rows {
		past, err := u.Unit(row.Unit)
		if err != nil {
			t.Fatal(row.Unit, err)
		}
		rows[row.Unit.String()] = []any{row, past.told()}
	}
	text, err := json.MarshalIndent([]any{u.told(), u.Unasked, rows, u.Models, u.Spent, u.Pauses, u.Budget}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Who reads a journal on knows the same as who reads it anew, wherever it ended until then, and which rows have changed.
func TestUnitsReadOn(t *testing.T) {
	dir := folder(t, grows)
	file := filepath.Join(dir, "journal.jsonl")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var grown *Units
	before := map[string]string{}
	written := ""
	for line := range strings.Lines(string(whole)) {
		for _, part := range []string{line[:len(line)/2], line[len(line)/2:]} {
			written += part
			if err := os.WriteFile(file, []byte(written), 0o600); err != nil {
				t.Fatal(err)
			}
			if grown == nil {
				if grown, err = ReadUnits(dir); err != nil { // of half a line
					continue
				}
				defer grown.Close()
			} else if err := grown.ReadOn(); err != nil {
				t.Fatal(err)
			}
			anew, err := ReadUnits(dir)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(anew.seen(t), grown.seen(t)); diff != "" {
				t.Fatalf("behind %s (-anew +on):\n%s", line, diff)
			}
			anew.Close()
			for _, row := range grown.Rows {
				text, _ := json.Marshal(row)
				if unit := row.Unit.String(); before[unit] != string(text) && row.Changed != grown.Looks {
					t.Errorf("behind %s: %s has changed, which is not told:\n%s\n%s", line, unit, before[unit], text)
				}
				before[row.Unit.String()] = string(text)
			}
		}
	}
	for address, want := range map[string]string{"f[0]": "f[0]~2 (v) succeeded, 4 records, others f[0]~1", "f[1]": "f[1]~2 (w) failed, 3 records, others f[1]~1", "f[2]": "f[2]~1 (x) , 1 records"} {
		for _, row := range grown.Rows {
			if past, err := grown.Unit(row.Unit); row.Unit.String() == address && (err != nil || past.told() != want) {
				t.Errorf("%v: %s, want %s", err, past.told(), want)
			}
		}
	}
}
