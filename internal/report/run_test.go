package report

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/internal/columns"
	"github.com/a-seed-11b9befa/flow/runner/journal/journaltest"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

const lines = `{"kind":"run","version":1,"data":{"run_id":"r1","workflow":{"name":"docs"},"steps":[{"path":"first","kind":"run"},{"path":"pages","kind":"prompt"}],"inputs":{}}}
{"kind":"began","unit":"first~1"}
{"kind":"ended","unit":"first","status":"succeeded","data":{"status":"succeeded"}}
{"kind":"decided","unit":"pages","about":"elements","count":3,"data":{"items":["a","b","c"]}}
{"kind":"began","unit":"pages[0]~1","label":"a"}
{"kind":"said","unit":"pages[0]~1","used":{"turns":1,"usage":{"input_tokens":120},"cost_usd":0.5},"data":{"turn":1,"message":{"role":"assistant","blocks":[{"type":"tool_call","id":"c","name":"write","arguments":{"filePath":"a"}},{"type":"tool_call","id":"d","name":"read","arguments":{}}]},"used":[{"model":"a/b","usage":{"input_tokens":100,"output_tokens":20}}]}}
{"kind":"answer","unit":"pages[0]~1","call":"c","status":"denied","used":{"tool_calls":1},"data":{"turn":1,"place":0,"status":"denied","rule":"write: src/**","tool":"write","arguments":{"filePath":"a"}}}
{"kind":"answer","unit":"pages[0]~1","call":"d","status":"succeeded","used":{"tool_calls":1,"truncated_outputs":1},"data":{"turn":1,"place":1,"status":"succeeded","truncated":true}}
{"kind":"ended","unit":"pages[0]","status":"failed","reason":"tool","data":{"status":"failed","error":{"kind":"tool","message":"it broke"}}}
{"kind":"said","unit":"pages[1]~1","used":{"turns":1,"usage":{"input_tokens":120},"cost_usd":0.25},"data":{"turn":1,"message":{"role":"assistant","blocks":[]},"used":[{"model":"a/b","usage":{"input_tokens":100,"output_tokens":20}}]}}
{"seq":11,"time":"2026-11-21T03:15:2`

var update = flag.Bool("update", false, "write the golden report anew")

// reported is the report of a run with these records.
func reported(t *testing.T, records string) string {
	t.Helper()
	dir := t.TempDir()
	journaltest.Write(t, dir, records)
	past, err := view.ReadPast(dir)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(Run(past, dir), dir, "DIR")
}

// The column of names is as wide as they are on a terminal, whatever bytes they have.
func TestNamesOfUnitsThatUsedMost(t *testing.T) {
	var records strings.Builder
	records.WriteString(`{"kind":"run","version":1,"data":{"run_id":"r1","workflow":{"name":"docs"},"steps":[{"path":"pages","kind":"prompt"}],"inputs":{}}}
{"kind":"decided","unit":"pages","about":"elements","count":4,"data":{"items":[1,2,3,4]}}
`)
	for i, label := range []string{"größer", "世界世界世界世界", "плотность", "d"} {
		fmt.Fprintf(&records, `{"kind":"began","unit":"pages[%d]~1","label":%q}
{"kind":"said","unit":"pages[%[1]d]~1","used":{"turns":1,"usage":{"input_tokens":%[3]d},"cost_usd":0},"data":{"turn":1,"message":{"role":"assistant","blocks":[]},"used":[{"model":"a/b","usage":{"input_tokens":%[3]d,"output_tokens":0}}]}}
`, i, label, 100-i)
	}
	const want = `used most:
  pages[0] (größer)            1 turn, 100 tokens in 7.0s
  pages[1] (世界世界世界世界)  1 turn, 99 tokens in 5.0s
  pages[2] (плотность)         1 turn, 98 tokens in 3.0s
`
	_, got, _ := strings.Cut(reported(t, records.String()), "used most:")
	if got = "used most:" + got; !strings.HasPrefix(got, want) {
		t.Errorf("report (-want +got):\n%s", cmp.Diff(want, got))
	}
}

// Of a run that waits, the steps that begin after an answer are listed too.
func TestReportOfARunThatWaits(t *testing.T) {
	got := reported(t, `{"kind":"run","version":1,"data":{"run_id":"r1","workflow":{"name":"w"},"steps":[{"path":"good","kind":"ask"},{"path":"after","kind":"run"}],"inputs":{}}}
{"kind":"began","unit":"good~1"}
{"kind":"asked","unit":"good~1","data":{"question":"Good?"}}
{"kind":"end","status":"waiting","data":{"version":1,"status":"waiting"}}
`)
	const want = `steps:
  good                 waiting
  after                not begun
`
	if !strings.Contains(got, want) {
		t.Errorf("got\n%s", got)
	}
}

// TestReportOfARunThatWasKilled tells how far it was.
func TestReportOfARunThatWasKilled(t *testing.T) {
	want := `run r1 of workflow "docs": cut off after 9.0s
the first failure was that of step "pages[0] (a)", after 8.0s: it broke (tool error)
denied: step "pages[0] (a)" called ` + "`write a`" + `: the rule "write: src/**" denies it
steps:
  first                succeeded
  pages                cut off   2 turns, 2 calls, 1 denied, 240 tokens, $0.75
      1 of 3 elements ended
      pages[0] (a) failed: it broke (tool error)
tokens: 240; cost: $0.75
1 output truncated; full output in DIR/outputs
run folder: DIR
to see the first failure: flow show DIR 'pages[0]'
to continue: flow resume DIR
to rerun what failed with a changed workflow: flow resume DIR --failed --changed
`
	if diff := cmp.Diff(want, reported(t, lines)); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// What a label has that is not seen stands as one escape, also in quotes.
func TestLabelsAreEscapedOnce(t *testing.T) {
	text := reported(t, strings.ReplaceAll(lines, `"label":"a"`, `"label":"\u202e"`))
	for _, want := range []string{`the first failure was that of step "pages[0] (\u202e)", after`, `denied: step "pages[0] (\u202e)" called`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
}

// A denied call is named, however many calls were let through before.
func TestReportOfADenialBehindManyCalls(t *testing.T) {
	at := strings.Index(lines, `{"kind":"answer"`)
	let := `{"kind":"answer","unit":"pages[0]~1","call":"d","status":"succeeded","used":{"tool_calls":1},"data":{"turn":1,"place":1,"status":"succeeded"}}` + "\n"
	if text := reported(t, lines[:at]+strings.Repeat(let, 1001)+lines[at:]); !strings.Contains(text, "called `write a`") {
		t.Errorf("the denied call is not named: %s", text)
	}
}

func TestReportOfAnUnknownPrice(t *testing.T) {
	text := reported(t, strings.ReplaceAll(lines, `,"cost_usd":0.25}`, `,"unpriced_models":["a/b"]}`))
	if !strings.Contains(text, "cost unknown: no price for a/b") {
		t.Errorf("a cost that nobody knows is told: %s", text)
	}
}

// A report has the words of all kinds of trouble: elements that failed for the same
// reason and for others, that never began, in a foreach inside of an element, a tool
// step that was denied, and a journal that is broken at its end.
func TestReport(t *testing.T) {
	records, err := os.ReadFile("testdata/report.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/report.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := reported(t, string(records))
	if *update {
		write(t, "testdata/report.txt", got)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func FuzzReport(f *testing.F) {
	f.Add(lines)
	f.Fuzz(func(t *testing.T, records string) {
		dir := t.TempDir()
		journaltest.Write(t, dir, records)
		past, err := view.ReadPast(dir)
		if err != nil {
			return
		}
		text := Run(past, "DIR")
		if strings.ContainsFunc(text, func(c rune) bool { return c != '\n' && columns.Hidden(c) }) {
			t.Errorf("hidden characters in %q", text)
		}
	})
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

// A report has the last round of a group alone, as results do.
func TestReportOfALaterRound(t *testing.T) {
	text := reported(t, `{"kind":"run","version":1,"data":{"run_id":"r1","workflow":{"name":"docs"},"steps":[{"path":"g","kind":"steps"},{"path":"g/a","kind":"run"},{"path":"g/b","kind":"run"}],"inputs":{}}}
{"kind":"began","unit":"g~1"}
{"kind":"began","unit":"g/a#1~1"}
{"kind":"ended","unit":"g/a#1","status":"succeeded","data":{"status":"succeeded"}}
{"kind":"began","unit":"g/b#1~1"}
{"kind":"ended","unit":"g/b#1","status":"succeeded","data":{"status":"succeeded"}}
{"kind":"began","unit":"g/a#2~1"}
`)
	want := `run r1 of workflow "docs": cut off after 6.0s
steps:
  g                    cut off
  g/a                  cut off
`
	if got, _, _ := strings.Cut(text, "tokens:"); got != want {
		t.Errorf("report (-want +got):\n%s", cmp.Diff(want, got))
	}
}

// What is taken up anew is listed, also before it has begun again.
func TestReportOfWhatIsTakenUpAnew(t *testing.T) {
	text := reported(t, `{"kind":"run","version":1,"data":{"run_id":"r1","workflow":{"name":"docs"},"steps":[{"path":"a","kind":"run"},{"path":"b","kind":"run"}],"inputs":{}}}
{"kind":"began","unit":"a~1"}
{"kind":"ended","unit":"a","status":"failed","data":{"status":"failed","error":{"kind":"command","message":"exit status 1"}}}
{"kind":"decided","about":"if","holds":true,"unit":"b"}
{"kind":"resumed","from":["a"],"data":{}}
`)
	want := `run r1 of workflow "docs": cut off after 3.0s
steps:
  a                    cut off
`
	if got, _, _ := strings.Cut(text, "tokens:"); got != want {
		t.Errorf("report (-want +got):\n%s", cmp.Diff(want, got))
	}
}
