package view

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/journal/journaltest"
)

// began is the first record of each journal here.
const began = `{"kind":"run","version":1,"data":{"run_id":"r","workflow":{"name":"w"},"steps":[{"path":"a","kind":"prompt"},{"path":"f","kind":"prompt"},{"path":"g","kind":"steps"},{"path":"g/b","kind":"run"}],"inputs":{}}}` + "\n"

// spends is an answer that has used something.
func spends(unit string, tokens int, more string) string {
	return fmt.Sprintf(`{"kind":"said","unit":%q,"used":{"turns":1,"usage":{"input_tokens":%d},"cost_usd":0.5%s},"data":{"turn":1,"message":{"role":"assistant","blocks":[{"type":"tool_call","id":"c","name":"bash","arguments":{"command":"rm x"}}]}}}`, unit, tokens, more) + "\n"
}

func folder(t *testing.T, records string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	journaltest.Write(t, dir, began+strings.TrimLeft(records, "\n"))
	return dir
}

// told is what is known of a run beside its steps, a line each.
func (p *Past) told() string {
	lines := []string{fmt.Sprintf("%s in %v, %v", orBroken(p.State), p.Took, p.Counts)}
	if cost := p.Cost; !cost.Known {
		lines = append(lines, fmt.Sprint("cost unknown: ", p.Unpriced))
	}
	if p.Failed != nil {
		lines = append(lines, fmt.Sprintf("first: %s %s: %s", (&Unit{Place: p.Failed.Unit, Label: p.Failed.Label}).Name(), p.Failed.Kind, p.Failed.Message))
	}
	for _, s := range p.Costly {
		lines = append(lines, fmt.Sprintf("costly: %s %v in %v", s.Place, s.Counts, s.Took))
	}
	for _, s := range p.Short {
		lines = append(lines, "short: "+s.String())
	}
	for _, u := range p.Now {
		lines = append(lines, fmt.Sprintf("now: %s %s", u.Name(), u.Doing(time.Time{})))
	}
	for _, w := range p.Result.Waiting {
		lines = append(lines, "waits: "+w.Address())
	}
	return strings.Join(slices.Concat(lines, p.Denials, p.Warned), "\n")
}

func orBroken(s State) State {
	if s == "" {
		return "broken"
	}
	return s
}

func TestPast(t *testing.T) {
	for name, tt := range map[string]struct {
		records, want string
	}{
		"what an earlier attempt used is the unit's": {
			`{"kind":"began","unit":"a~1"}` + "\n" + spends("a~1", 5, "") + `{"kind":"again","unit":"a~1","status":"failed","data":{}}` + "\n" +
				`{"kind":"began","unit":"a~2"}` + "\n" + spends("a~2", 7, "") + `{"kind":"ended","unit":"a","status":"succeeded","data":{}}` + "\n",
			`cut_off in 6s, 2 turns, 12 tokens, $1.00
costly: a 2 turns, 12 tokens, $1.00 in 5s`,
		},
		"the units of several rounds are one that is costly": {
			`{"kind":"began","unit":"g~1"}` + "\n" +
				`{"kind":"began","unit":"g/b#1~1"}` + "\n" + spends("g/b#1~1", 5, "") + `{"kind":"ended","unit":"g/b#1","status":"succeeded","data":{}}` + "\n" +
				`{"kind":"began","unit":"g/b#2~1"}` + "\n" + spends("g/b#2~1", 7, "") + `{"kind":"ended","unit":"g/b#2","status":"succeeded","data":{}}` + "\n",
			`cut_off in 7s, 2 turns, 12 tokens, $1.00
costly: g/b 2 turns, 12 tokens, $1.00 in 4s`,
		},
		"what failed, and is tried again, has not failed first": {`
{"kind":"ended","unit":"a","status":"failed","data":{"error":{"kind":"tool","message":"first"}}}
{"kind":"ended","unit":"g/b","status":"failed","data":{"error":{"kind":"tool","message":"second"}}}
{"kind":"end","status":"failed","data":{"status":"failed","finished_at":"2026-11-22T11:00:00Z","cost_usd":0}}
{"kind":"resumed","data":{}}
{"kind":"began","unit":"a~2"}
`, `cut_off in 4s, 
first: g/b tool: second
short: step "g/b" failed (tool error)`},
		"elements that fail, that never begin, and that go on": {`
{"kind":"decided","unit":"f","about":"elements","count":5,"data":{"items":["v","w","x","y","z"]}}
{"kind":"began","unit":"f[0]~1","label":"v"}
{"kind":"ended","unit":"f[0]","status":"failed","reason":"tool","data":{"error":{"kind":"tool","message":"no"}}}
{"kind":"began","unit":"f[1]~1","label":"w"}
{"kind":"ended","unit":"f[1]","status":"succeeded","data":{}}
{"kind":"ended","unit":"f","status":"failed","data":{"elements":{"total":5,"succeeded":1,"not_begun":3,"reasons":{"tool":1}}}}
`, `cut_off in 6s, 
first: f[0] (v) tool: no
short: 4 of 5 elements of step "f" failed (3 cancelled, 1 tool error)`},
		"a denied call, also where the conversation goes on elsewhere": {
			`{"kind":"began","unit":"a~1"}` + "\n" + spends("a~1", 5, `,"unpriced_models":["x/y"]`) + `{"kind":"resumed","data":{}}` + "\n" + `{"kind":"began","unit":"a~1"}` + "\n" +
				`{"kind":"answer","unit":"a~1","call":"c","status":"denied","used":{"tool_calls":1},"data":{"place":0,"status":"denied","rule":"bash: *, no terminal to ask on","tool":"bash","arguments":{"command":"rm x"}}}` + "\n",
			`cut_off in 4s, 1 turn, 1 call, 1 denied, 5 tokens
cost unknown: [x/y]
costly: a 1 turn, 1 call, 1 denied, 5 tokens in 3s
denied: step "a" called ` + "`bash rm x`: the rule \"bash: *\" asks for approval: no terminal to ask on",
		},
		"a run that waits": {`
{"kind":"began","unit":"a~1"}
{"kind":"asked","unit":"a~1","data":{"text":"Go?"}}
{"kind":"warned","data":{"message":"once"}}
{"kind":"warned","data":{"message":"once"}}
{"kind":"end","status":"waiting","data":{"status":"waiting","finished_at":"2026-11-22T11:00:00Z","duration_ms":70000,"cost_usd":0}}
`, `waiting in 1m10s, 
waits: a
once`},
		"a journal that is broken": {`
{"kind":"began","unit":"a~1"}
broken
`, `broken in 1s, `},
	} {
		past, err := ReadPast(folder(t, tt.records))
		if err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(tt.want, past.told()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if broken := past.State == ""; broken != (past.Broken != "") {
			t.Errorf("%s: broken: %v", name, past.Broken)
		}
	}
}

// What runs is what this process works on: what one before it has left in flight does not.
func TestPastOfARunThatGoesOn(t *testing.T) {
	dir := folder(t, `{"kind":"decided","unit":"f","about":"elements","count":9,"data":{"items":[1,2,3,4,5,6,7,8,9]}}
{"kind":"began","unit":"f[0]~1"}
{"kind":"began","unit":"f[1]~1"}
{"kind":"began","unit":"g~1"}
{"kind":"resumed","data":{}}
{"kind":"began","unit":"f[1]~1","label":"two"}
`+spends("f[1]~1", 5, "")+`{"kind":"call","unit":"f[1]~1","call":"c","data":{"tool":"bash","arguments":{"command":"rm x"}}}
`)
	open, err := journal.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	past, err := ReadPast(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := `running in 7s, 1 turn, 5 tokens, $0.50
costly: f[1] 1 turn, 5 tokens, $0.50 in 4s
now: f 0 of 9, 1 running
now: f[1] (two) turn 1, bash rm x`
	if diff := cmp.Diff(want, past.told()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSummary(t *testing.T) {
	const failed = `{"kind":"ended","unit":"a","status":"failed","data":{"error":{"kind":"tool","message":"no"}}}` + "\n"
	for name, tt := range map[string]struct{ records, want string }{
		"all succeeded": {
			failed + `{"kind":"end","status":"succeeded","data":{"finished_at":"2026-11-22T11:00:00Z","duration_ms":7,"cost_usd":2.5}}` + "\n", "succeeded 7 $2.50", // what is between is not read
		},
		"something was forgiven": {
			failed + `{"kind":"end","status":"succeeded","forgiven":true,"data":{"finished_at":"2026-11-22T11:00:00Z","duration_ms":7,"cost_usd":null}}` + "\n", "succeeded 7 unknown a: no",
		},
		"killed": {failed + spends("a~1", 5, ""), "cut_off 2000 $0.50"},
	} {
		g := summaryAt(folder(t, tt.records))
		got := fmt.Sprintf("%s %d %v", g.State, g.TookMS, g.Cost)
		if g.Failed != nil {
			got += fmt.Sprintf(" %s: %s", g.Failed.Unit, g.Failed.Message)
		}
		if g.Broken != "" || g.ID != "r" || g.Workflow != "w" || got != tt.want {
			t.Errorf("%s: %s of %s: %q, want %q", name, g.ID, g.Workflow, got, tt.want)
		}
	}
	dir := folder(t, "")
	if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if g := summaryAt(dir); g.State != "" || !strings.Contains(g.Broken, "the journal is empty") {
		t.Errorf("an empty journal: %+v", g)
	}
}

// A unit is what its last round and attempt came to, unless its address names others.
func TestReadUnit(t *testing.T) {
	dir := folder(t, `{"kind":"began","unit":"g~1"}
{"kind":"began","unit":"g/b#1~1"}
{"kind":"ended","unit":"g/b#1","status":"failed","data":{"status":"failed"}}
{"kind":"began","unit":"g/b#2~1"}
{"kind":"again","unit":"g/b#2~1","status":"failed","data":{"status":"failed"}}
{"kind":"began","unit":"g/b#2~2"}
{"kind":"ended","unit":"g/b#2","status":"succeeded","data":{"status":"succeeded"}}
{"kind":"decided","unit":"f","about":"elements","count":2,"data":{"items":[1,2]}}
{"kind":"began","unit":"f[1]~1","label":"two"}
{"kind":"ended","unit":"f[1]","status":"stopped","data":{"status":"stopped"}}
{"kind":"resumed","data":{}}
`)
	for address, want := range map[string]string{
		"g":       "g~1 , 1 records, inside g/b#2 succeeded",
		"g/b":     "g/b#2~2 succeeded, 2 records, others g/b#1~1 g/b#2~1",
		"g/b#1":   "g/b#1~1 failed, 2 records",
		"g/b#2~1": "g/b#2~1 failed, 2 records, others g/b#2~2",
		"f":       "f , 1 records, inside f[1] (two) stopped",
		"f[1]":    "f[1]~1 (two) stopped, 2 records",
		"f[0]":    ErrNoUnit.Error(),
		"nothing": ErrNoUnit.Error(),
	} {
		u, err := journal.ParseAddress(address)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		past, err := ReadUnit(dir, u)
		if err != nil {
			got = err.Error()
		} else {
			got = past.told()
		}
		if got != want {
			t.Errorf("%s:\n%s, want\n%s", address, got, want)
		}
	}
}

// A result that is kept after the files changed is shown with what led to it, and not with what did not.
func TestReadUnitThatIsKept(t *testing.T) {
	dir := folder(t, `{"kind":"began","unit":"a~1"}
{"kind":"again","unit":"a~1","status":"failed","data":{"status":"failed"}}
{"kind":"began","unit":"a~2"}
{"kind":"ended","unit":"a","status":"succeeded","data":{"status":"succeeded"}}
{"kind":"resumed","changed":true,"data":{"start":{"steps":[{"path":"a"}],"inputs":{}}}}
{"kind":"decided","about":"keep","unit":"a","count":5,"status":"succeeded","data":{"status":"succeeded"}}
`)
	u, err := journal.ParseAddress("a")
	if err != nil {
		t.Fatal(err)
	}
	past, err := ReadUnit(dir, u)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := past.told(), "a~2 succeeded, 3 records, others a~1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// told is the unit on a line.
func (u *UnitPast) told() string {
	line := u.Unit.String()
	if u.Label != "" {
		line += " (" + u.Label + ")"
	}
	line += " "
	if u.Result != nil {
		line += string(u.Result.Status)
	}
	line += fmt.Sprintf(", %d records", len(u.Facts))
	for i, other := range u.Others {
		line += []string{", others ", " "}[min(i, 1)] + other.String()
	}
	for _, in := range u.Inside {
		line += ", inside " + in.Unit.String()
		if in.Label != "" {
			line += " (" + in.Label + ")"
		}
		line += " " + in.Status
	}
	return line
}
