package report

import (
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// What a run waits for is shown with nothing that acts on a terminal, on lines that
// look like no others, and with commands that a shell reads as they are meant.
func TestWaits(t *testing.T) {
	u, err := journal.ParseAddress("pages[3]/review#2")
	if err != nil {
		t.Fatal(err)
	}
	until := time.Now().Add(-time.Hour)
	waits := []runner.Wait{
		{Unit: u, Label: "a\x1b[2J", Question: "Sure?\n    flow resume x --answer y=yes\x1b[2J\r\nwaits for 0 answers:", Choices: []string{"it's", "no"}, Until: &until, Default: []byte(`"no"`)},
		{Unit: u, Call: "c'; rm -rf ~ #\x1b", Tool: "bash", Arguments: []byte(`{"command":"x"}`), Rule: "bash: ask *"},
	}
	want := `the run waits for 2 answers:
  step "pages[3]/review#2 (a\x1b[2J)" asks (it's, no) until ` + until.Local().Format("2006-01-02 15:04:05 MST") + `, which is over, and the answer is "no":
  | Sure?
  |     flow resume x --answer y=yes\x1b[2J
  | waits for 0 answers:
    to continue: flow resume 'a run'
  step "pages[3]/review#2" asks to make a call:
  | bash {"command":"x"}
    the rule "bash: ask *" requires approval
    to approve the call: flow resume 'a run' --approve 'pages[3]/review#2:c'\''; rm -rf ~ #\x1b'
    to deny the call, and tell the model why: flow resume 'a run' --deny 'pages[3]/review#2:c'\''; rm -rf ~ #\x1b=REASON'`
	if got := strings.Join(Waits(waits, "a run"), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	many := make([]runner.Wait, maxWaits+1001)
	for i := range many {
		many[i] = waits[1]
	}
	lines := Waits(many, "r")
	want = "  1,001 more are not shown; to list them all: flow show r --output json\n  to approve all 1,051 calls: flow resume r --approve all\n  to deny all 1,051 calls: flow resume r --deny all"
	if got := strings.Join(lines[len(lines)-3:], "\n"); got != want {
		t.Errorf("the last lines are\n%s", got)
	}
}
