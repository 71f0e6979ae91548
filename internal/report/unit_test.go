package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/journal/journaltest"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// begins is the first record of a run with these steps.
const begins = `{"kind":"run","version":1,"data":{"run_id":"r1","workflow":{"name":"docs"},"steps":[{"path":"pages","kind":"prompt"},{"path":"build","kind":"run"},{"path":"publish","kind":"ask"},{"path":"g","kind":"steps"},{"path":"g/a","kind":"run"},{"path":"g/b","kind":"run"}],"inputs":{}}}
`

// unitReported is the report of a unit of a run with these records.
func unitReported(t *testing.T, address, records string, whole bool) string {
	t.Helper()
	u, err := journal.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	journaltest.Write(t, dir, begins+records)
	past, err := view.ReadUnit(dir, u)
	if err != nil {
		t.Fatal(err)
	}
	text, err := Unit(past, dir, whole)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(text, dir, "DIR")
}

// conversation is an element that asks a model three times: two calls, an answer that broke
// off, one that was in flight when flow was killed, and one that a check refuses at first.
const conversation = `{"kind":"decided","unit":"pages","about":"elements","count":2,"data":{"items":["a","b"]}}
{"kind":"began","unit":"pages[1]~1","label":"b.go","data":{"kind":"prompt","agent":{"models":["a/b","c/d"],"system":"Be brief.","prompt":"Write a page\nabout b.go"}}}
{"kind":"said","unit":"pages[1]~1","used":{"turns":1,"usage":{"input_tokens":120},"cost_usd":0.5},"data":{"turn":1,"retries":2,"message":{"role":"assistant","blocks":[{"type":"thinking","text":"first I read"},{"type":"tool_call","id":"c","name":"read","arguments":{"filePath":"b.go"}},{"type":"tool_call","id":"d","name":"bash","arguments":{"command":"rm b.go","timeout":5}}]}}}
{"kind":"call","unit":"pages[1]~1","call":"c","data":{"turn":1,"place":0,"id":"c","rule":"read: *"}}
{"kind":"answer","unit":"pages[1]~1","call":"c","status":"succeeded","used":{"tool_calls":1},"data":{"turn":1,"place":0,"id":"c","status":"succeeded","content":"package b\n","whole":"outputs/1-read.txt"}}
{"kind":"answer","unit":"pages[1]~1","call":"d","status":"denied","used":{"tool_calls":1},"data":{"turn":1,"place":1,"id":"d","status":"denied","content":"not allowed","rule":"bash: rm *","reason":"denied","tool":"bash","arguments":{"command":"rm b.go","timeout":5}}}
{"kind":"said","unit":"pages[1]~1","data":{"turn":2,"cut":true,"error":{"kind":"network","message":"it broke off"},"message":{"role":"assistant","blocks":[]}}}
{"kind":"decided","unit":"pages[1]~1","about":"inner","spent":{"tokens":4000,"cost_usd":0}}
{"kind":"said","unit":"pages[1]~1","data":{"turn":3,"saved":{"input_tokens":3},"message":{"role":"assistant","blocks":[{"type":"text","text":"done"}]}}}
{"kind":"decided","unit":"pages[1]~1","about":"inner","data":{"check":{"turn":3,"problem":"a\nb\nc"}}}
{"kind":"decided","unit":"pages[1]~1","about":"inner","data":{"check":{"turn":3}}}
{"kind":"warned","unit":"pages[1]~1","data":{"message":"the page is long","error":"10 MB"}}
{"kind":"ended","unit":"pages[1]","status":"failed","reason":"tool","data":{"index":1,"item":"b","status":"failed","duration_ms":7000,"turns":3,"tool_calls":2,"error":{"kind":"tool","message":"it does not exist","hint":"look again"}}}
`

// The report of an element has its work, every turn with what was called and why it might,
// and what each check said.
func TestUnitConversation(t *testing.T) {
	want := `step "pages[1]~1 (b.go)" of run r1: failed in 7.0s, 3 turns, 2 calls
error: it does not exist (tool error)
hint: look again
model: a/b, c/d
system:
  | Be brief.
prompt:
  | Write a page
  | about b.go
turn 1, 1.0s, 120 tokens, $0.50, after 2 retries:
  thinking:
  | first I read
  calls read b.go
  calls bash rm b.go
  read b.go: succeeded in 1.0s; the rule "read: *" allows it
  | package b
  full output: DIR/outputs/pages[1].1-read.txt
  bash rm b.go: denied; denied
  | not allowed
turn 2, 1.0s:
  error: it broke off (network error)
  interrupted
a request was in flight when flow was killed: 4,000 tokens counted, the most that it may have used
turn 3, 1.0s, cached:
  | done
check:
  | a
  | b
  | c
checks: all passed
warning: the page is long: 10 MB
`
	if diff := cmp.Diff(want, unitReported(t, "pages[1]", conversation, false)); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// A whole report shortens no text and no call.
func TestUnitWhole(t *testing.T) {
	long := strings.Repeat("line\n", 400) + "the end"
	records := strings.Replace(conversation, `package b\n`, strings.ReplaceAll(long, "\n", `\n`), 1)
	short, whole := unitReported(t, "pages[1]", records, false), unitReported(t, "pages[1]", records, true)
	if n := strings.Count(short, "  | line\n"); n == 0 || n >= 400 {
		t.Errorf("%d lines are in the short report", n)
	}
	for _, want := range []string{strings.Repeat("  | line\n", 400) + "  | the end\n", `calls bash {"command":"rm b.go","timeout":5}`} {
		if !strings.Contains(whole, want) {
			t.Errorf("%.60q is not in the whole report", want)
		}
	}
}

// What a command ran, and what became of it.
func TestUnitCommand(t *testing.T) {
	got := unitReported(t, "build", `{"kind":"decided","unit":"build","about":"if","holds":true}
{"kind":"began","unit":"build~1","data":{"kind":"run","script":{"source":"make \"$v1\"","values":[{"name":"v1","value":"all"}]}}}
{"kind":"again","unit":"build~1","status":"failed","reason":"command","data":{"status":"failed","error":{"kind":"command","message":"exit status 2"}}}
{"kind":"began","unit":"build~2","data":{"kind":"run","script":{"source":"make \"$v1\"","values":[{"name":"v1","value":"all"}]}}}
{"kind":"ended","unit":"build","status":"succeeded","data":{"status":"succeeded","text":"built","stderr":"one\ntwo\n"}}
`, false)
	want := `step "build~2" of run r1: succeeded
script:
  | make "$v1"
  v1=all
result:
  | built
stderr:
  | one
  | two
see also: flow show DIR 'build~1'
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// Who answered is told, and what: a person, nobody in time, or one who decided about a call.
func TestUnitAnswers(t *testing.T) {
	asked := `{"kind":"began","unit":"publish~1","data":{"kind":"ask","question":{"text":"Publish?"}}}
{"kind":"asked","unit":"publish~1","data":{"text":"Publish?"}}
`
	head := "step \"publish~1\" of run r1: has not ended\n"
	tests := []struct{ name, records, want string }{
		{"by a person", `{"kind":"answered","unit":"publish~1","data":{"value":"yes"}}`, "question:\n  | Publish?\na person answered: \"yes\"\n"},
		{"by its default", `{"kind":"answered","unit":"publish~1","data":{"value":"no","by":"time"}}`, "question:\n  | Publish?\nnobody answered in time, and the default counts: \"no\"\n"},
		{"by nobody", `{"kind":"answered","unit":"publish~1","data":{"by":"time"}}`, "question:\n  | Publish?\nnobody answered in time\n"},
		{"not yet", "", "the run waits for 1 answer:\n  step \"publish\" asks:\n  | Publish?\n    to answer: flow resume DIR --answer publish=VALUE\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.records != "" {
				tt.records += "\n"
			}
			if diff := cmp.Diff(head+tt.want, unitReported(t, "publish", asked+tt.records, false)); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
		})
	}
	for allowed, want := range map[string]string{"true": "approved", "false": "denied"} {
		got := unitReported(t, "pages", `{"kind":"began","unit":"pages~1","data":{"kind":"prompt","agent":{"models":["a/b"],"prompt":"x"}}}
{"kind":"asked","unit":"pages~1","call":"c","data":{"turn":1,"place":0,"id":"c","tool":"bash"}}
{"kind":"answered","unit":"pages~1","call":"c","data":{"allowed":`+allowed+`}}
`, false)
		if want := "a person " + want + " the call\n"; !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// A group lists what is inside it, with what did not succeed first, and how its until was
// decided; a round names the others.
func TestUnitGroup(t *testing.T) {
	records := `{"kind":"began","unit":"g~1"}
{"kind":"began","unit":"g/a#1~1"}
{"kind":"ended","unit":"g/a#1","status":"succeeded","data":{"status":"succeeded"}}
{"kind":"ended","unit":"g/b#1","status":"skipped","data":{"status":"skipped"}}
{"kind":"decided","unit":"g~1","about":"until","count":1,"holds":false}
{"kind":"began","unit":"g/a#2~1"}
{"kind":"ended","unit":"g/a#2","status":"succeeded","data":{"status":"succeeded"}}
{"kind":"ended","unit":"g/b#2","status":"failed","reason":"command","data":{"status":"failed","error":{"kind":"command","message":"exit status 1"}}}
`
	want := `step "g~1" of run r1: has not ended
until, after round 1: false
  g/b#2  failed (command error)
  g/a#2  succeeded
`
	if diff := cmp.Diff(want, unitReported(t, "g", records, false)); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if got, want := unitReported(t, "g/a", records, false), "see also: flow show DIR 'g/a#1~1'\n"; !strings.Contains(got, want) {
		t.Errorf("%q is not in\n%s", want, got)
	}
}

// Of many elements the first 50 are listed; those that did not succeed are among them.
func TestUnitManyElements(t *testing.T) {
	var records strings.Builder
	records.WriteString(`{"kind":"decided","unit":"pages","about":"elements","count":60,"data":{"items":[]}}` + "\n")
	for i := range 60 {
		status := "succeeded"
		if i == 59 {
			status = "failed"
		}
		fmt.Fprintf(&records, `{"kind":"ended","unit":"pages[%d]","status":"%[2]s","data":{"status":"%[2]s"}}`+"\n", i, status)
	}
	short, whole := unitReported(t, "pages", records.String(), false), unitReported(t, "pages", records.String(), true)
	if lines := strings.Count(short, "\n"); lines != 52 || !strings.Contains(short, "pages[59]") || !strings.Contains(short, "  … and 10 more; to list them all: --output jsonl\n") {
		t.Errorf("%d lines:\n%s", lines, short)
	}
	if lines := strings.Count(whole, "\n"); lines != 61 {
		t.Errorf("%d lines of 60 elements are in the whole report", lines)
	}
}
