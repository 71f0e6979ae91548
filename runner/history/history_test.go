package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/journal/journaltest"
)

// folded is the fold of the records, a line each, behind the first one.
func folded(t *testing.T, whole bool, records string) *Run {
	t.Helper()
	dir := t.TempDir()
	journaltest.Write(t, dir, `{"kind":"run","version":1,"data":{}}`+"\n"+strings.TrimLeft(records, "\n"))
	from, err := journal.OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	run := &Run{Whole: whole}
	for r, err := range from.Records() {
		if err != nil {
			t.Fatal(err)
		}
		run.Take(&r)
	}
	return run
}

// told are the units of a run, each in a few words: where it stands, what it has used in
// all and since it began, and of a foreach what is known of its elements.
func told(run *Run) string {
	var all []string
	for u := range run.Top.All(true) {
		state := "heard of"
		switch {
		case u.Ended != 0:
			state = string(u.Status)
		case u.IsOpen():
			state = "open"
		}
		line := fmt.Sprintf("%s %s", u.Unit, state)
		if c := u.Counts(); c.Tokens > 0 || c.Calls > 0 || c.Denied > 0 {
			line += fmt.Sprintf(", %d tokens (%d), %d turns, %d calls, %d denied", c.Tokens, u.Own.Tokens, c.Turns, c.Calls, c.Denied)
		}
		if u.HasElements() {
			ended := 0
			for _, index := range u.Indexes() {
				if at, _, _ := u.RecordsOf(index); at != 0 {
					ended++
				}
			}
			line += fmt.Sprintf(", %d of %d ended", ended, u.Count-len(u.LeftOut))
		}
		if label := u.LabelAround(); label != "" {
			line += ", in " + label
		}
		all = append(all, line)
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

func TestRecordsSayWhereUnitsStand(t *testing.T) {
	for name, tt := range map[string]struct {
		records, want string
	}{
		"a condition is no beginning": {`
{"kind":"decided","about":"if","holds":true,"unit":"a"}
`, `a heard of`},
		"an attempt that is tried again": {`
{"kind":"began","unit":"a~1"}
{"kind":"said","unit":"a~1","used":{"turns":1,"usage":{"input_tokens":5},"cost_usd":0}}
{"kind":"again","unit":"a~1","status":"failed"}
{"kind":"began","unit":"a~2"}
{"kind":"said","unit":"a~2","used":{"turns":1,"usage":{"input_tokens":7},"unpriced_models":["x/y"]}}
{"kind":"call","unit":"a~2","call":"c"}
{"kind":"answer","unit":"a~2","call":"c","status":"denied","used":{"tool_calls":1}}
`, `a open, 12 tokens (12), 2 turns, 1 calls, 1 denied`},
		"what a unit used before it was taken up again is not its own": {`
{"kind":"began","unit":"a~1"}
{"kind":"said","unit":"a~1","used":{"turns":1,"usage":{"input_tokens":5},"cost_usd":0}}
{"kind":"ended","unit":"a","status":"failed"}
{"kind":"end","status":"failed"}
{"kind":"resumed"}
{"kind":"began","unit":"a~2"}
{"kind":"said","unit":"a~2","used":{"turns":1,"usage":{"input_tokens":7},"cost_usd":0}}
`, `a open, 12 tokens (7), 2 turns, 0 calls, 0 denied`},
		"a command whose changes were denied is no denied call": {`
{"kind":"began","unit":"a~1"}
{"kind":"ended","unit":"a","status":"failed","reason":"denied","used":{"truncated_outputs":1}}
{"kind":"began","unit":"b~1"}
{"kind":"ended","unit":"b","status":"failed","reason":"denied","used":{"tool_calls":1}}
{"kind":"began","unit":"c~1"}
{"kind":"call","unit":"c~1","call":"c"}
{"kind":"answer","unit":"c~1","call":"c","status":"succeeded","used":{"tool_calls":1}}
`, `a failed
b failed, 0 tokens (0), 0 turns, 1 calls, 1 denied
c open, 0 tokens (0), 0 turns, 1 calls, 0 denied`},
		"the last round": {`
{"kind":"began","unit":"g~1"}
{"kind":"began","unit":"g/a#1~1"}
{"kind":"ended","unit":"g/a#1","status":"succeeded"}
{"kind":"began","unit":"g/b#1~1"}
{"kind":"ended","unit":"g/b#1","status":"failed"}
{"kind":"began","unit":"g/a#2~1"}
`, `g open
g/a#2 open`},
		"the last attempt of what is around": {`
{"kind":"began","unit":"g~1"}
{"kind":"ended","unit":"g/a","status":"failed"}
{"kind":"again","unit":"g~1","status":"failed"}
{"kind":"began","unit":"g~2"}
{"kind":"began","unit":"g~2/b~1"}
`, `g open
g~2/b open`},
		"elements that succeeded are numbers, others are units": {`
{"kind":"decided","about":"elements","unit":"f","count":4,"data":{"left_out":[[3,3]],"items":[1,2,3,4]}}
{"kind":"began","unit":"f[0]~1","label":"one"}
{"kind":"began","unit":"f[0]/a~1"}
{"kind":"ended","unit":"f[0]/a","status":"succeeded"}
{"kind":"ended","unit":"f[0]","status":"succeeded"}
{"kind":"began","unit":"f[1]~1","label":"two"}
{"kind":"ended","unit":"f[1]/a","status":"failed"}
{"kind":"ended","unit":"f[1]","status":"succeeded"}
{"kind":"ended","unit":"f[2]","status":"cancelled"}
`, `f open, 3 of 3 ended
f[1] succeeded, in two
f[1]/a failed, in two
f[2] cancelled`},
		"a foreach in an element": {`
{"kind":"decided","about":"elements","unit":"f","count":1,"data":{"items":[1]}}
{"kind":"began","unit":"f[0]~1"}
{"kind":"decided","about":"elements","unit":"f[0]/in","count":2,"data":{"items":[1,2]}}
{"kind":"said","unit":"f[0]/in[0]~1","used":{"turns":1,"usage":{"input_tokens":3},"cost_usd":0}}
{"kind":"ended","unit":"f[0]/in[0]","status":"succeeded"}
{"kind":"ended","unit":"f[0]/in[1]","status":"failed"}
{"kind":"ended","unit":"f[0]/in","status":"failed"}
`, `f open, 3 tokens (0), 1 turns, 0 calls, 0 denied, 0 of 1 ended
f[0] open, 3 tokens (0), 1 turns, 0 calls, 0 denied
f[0]/in failed, 3 tokens (0), 1 turns, 0 calls, 0 denied, 2 of 2 ended
f[0]/in[1] failed`},
		"what happens inside opens what is around": {`
{"kind":"decided","about":"elements","unit":"f","count":2,"data":{"items":[1,2]}}
{"kind":"ended","unit":"f[0]","status":"succeeded"}
{"kind":"ended","unit":"f[1]","status":"failed"}
{"kind":"ended","unit":"f","status":"failed"}
{"kind":"end","status":"failed"}
{"kind":"resumed"}
{"kind":"began","unit":"f[1]~2"}
`, `f open, 1 of 2 ended
f[1] open`},
		"from": {`
{"kind":"began","unit":"a~1"}
{"kind":"ended","unit":"a","status":"succeeded"}
{"kind":"decided","about":"elements","unit":"f","count":2,"data":{"items":[1,2]}}
{"kind":"ended","unit":"f[0]","status":"succeeded"}
{"kind":"ended","unit":"f[1]","status":"failed"}
{"kind":"ended","unit":"f","status":"failed"}
{"kind":"resumed","from":["a~1","f[0]"]}
`, `a heard of
f open, 1 of 2 ended
f[0] heard of
f[1] failed`},
		"from inside of what succeeded": {`
{"kind":"decided","about":"elements","unit":"f","count":3,"data":{"items":[1,2,3]}}
{"kind":"ended","unit":"f[0]/a","status":"succeeded"}
{"kind":"ended","unit":"f[0]","status":"succeeded"}
{"kind":"ended","unit":"f[1]/a","status":"succeeded"}
{"kind":"ended","unit":"f[1]/b","status":"failed"}
{"kind":"ended","unit":"f[1]","status":"succeeded"}
{"kind":"ended","unit":"f[2]/a","status":"succeeded"}
{"kind":"ended","unit":"f[2]","status":"succeeded"}
{"kind":"ended","unit":"f","status":"succeeded"}
{"kind":"ended","unit":"g/a","status":"succeeded"}
{"kind":"ended","unit":"g/b","status":"succeeded"}
{"kind":"ended","unit":"g","status":"succeeded"}
{"kind":"resumed","from":["f[0]/a","f[1]/a","g/b"]}
`, `f open, 1 of 3 ended
f[1] heard of
f[1]/a heard of
f[1]/b failed
g heard of
g/a succeeded
g/b heard of`},
		"from inside of every element": {`
{"kind":"decided","about":"elements","unit":"f","count":2,"data":{"items":[1,2]}}
{"kind":"ended","unit":"f[0]/a","status":"succeeded"}
{"kind":"ended","unit":"f[0]","status":"succeeded"}
{"kind":"ended","unit":"f[1]/a","status":"succeeded"}
{"kind":"ended","unit":"f[1]","status":"succeeded"}
{"kind":"ended","unit":"f","status":"succeeded"}
{"kind":"resumed","from":["f/a"]}
`, `f open, 0 of 2 ended`},
		"other files": {`
{"kind":"began","unit":"a~1"}
{"kind":"ended","unit":"a","status":"succeeded"}
{"kind":"resumed","changed":true,"data":{"start":{}}}
{"kind":"decided","about":"keep","unit":"b","count":3,"status":"succeeded"}
`, `b succeeded`},
	} {
		if diff := cmp.Diff(tt.want, told(folded(t, false, tt.records))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What is inside of an element is found again by the offsets of its records, those of its
// last attempt alone.
func TestElementsKnowTheirRecords(t *testing.T) {
	const records = `
{"kind":"decided","about":"elements","unit":"f","count":1,"data":{"items":[1]}}
{"kind":"began","unit":"f[0]~1"}
{"kind":"ended","unit":"f[0]/a","status":"failed"}
{"kind":"again","unit":"f[0]~1","status":"failed"}
{"kind":"began","unit":"f[0]~2"}
{"kind":"ended","unit":"f[0]~2/a","status":"succeeded"}
{"kind":"ended","unit":"f[0]~2/g/b","status":"skipped"}
{"kind":"ended","unit":"f[0]~2/g","status":"succeeded"}
{"kind":"ended","unit":"f[0]","status":"succeeded"}
`
	run := folded(t, false, records)
	ended, offsets, _ := run.Top.Steps["f"].RecordsOf(0)
	if run.Top.At(unitOf(t, "f[0]")) != nil || ended == 0 || len(offsets) != 3 {
		t.Errorf("the element %v, %v", ended, offsets)
	}
	whole := folded(t, true, records)
	var inner []string
	for u := range whole.Top.At(unitOf(t, "f[0]")).All(false) {
		inner = append(inner, u.Unit.String())
	}
	slices.Sort(inner)
	if got := strings.Join(inner, " "); got != "f[0]~2/a f[0]~2/g f[0]~2/g/b" {
		t.Errorf("inside are %s", got)
	}
}

func unitOf(t *testing.T, address string) journal.Address {
	t.Helper()
	u, err := journal.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// Time in which no process worked does not count, and who goes on with a run ends its end.
func TestTheTimeOfARun(t *testing.T) {
	run := folded(t, false, `
{"kind":"began","unit":"a~1"}
{"kind":"asked","unit":"a~1"}
{"kind":"end","status":"waiting"}
{"kind":"resumed"}
{"kind":"warned"}
`)
	if got := run.Worked.Seconds(); got != 4 || run.Last.Sub(run.Began).Seconds() != 5 {
		t.Errorf("it worked for %v s", got)
	}
	if run.End != nil || run.Process != 1 || len(run.Waits) != 1 {
		t.Errorf("end %v, process %d, waits %v", run.End, run.Process, run.Waits)
	}
	run = folded(t, false, `
{"kind":"asked","unit":"a~1"}
{"kind":"asked","unit":"b~1","call":"x"}
{"kind":"asked","unit":"b~1","call":"y"}
{"kind":"answered","unit":"b~1","call":"x"}
{"kind":"ended","unit":"a","status":"stopped"}
`)
	if len(run.Waits) != 1 || run.Waits[0].Call != "y" {
		t.Errorf("waits %+v", run.Waits)
	}
}

// The time between two processes is not time in which a unit worked.
func TestTimeBetweenProcessesIsNoWork(t *testing.T) {
	at := func(seconds int) time.Time { return time.Unix(int64(seconds), 0) }
	var run Run
	for _, r := range []journal.Record{{Kind: journal.Run, Time: at(0)}, {Kind: journal.Warned, Time: at(4)}, {Kind: journal.Resumed, Time: at(1000)}, {Kind: journal.Warned, Time: at(1003)}} {
		run.Take(&r)
	}
	for _, tt := range []struct{ from, to, want int }{{0, 1003, 7}, {3, 1001, 2}, {0, 4, 4}, {1000, 1003, 3}, {1001, 1003, 2}} {
		if got := run.Between(at(tt.from), at(tt.to)); got != time.Duration(tt.want)*time.Second {
			t.Errorf("from %d to %d: %v, want %d s", tt.from, tt.to, got, tt.want)
		}
	}
}

// A unit that ended before anything was said in it has no conversation that had ended.
func TestAConversationEndsBehindWhatWasSaid(t *testing.T) {
	for records, want := range map[string]int{
		`
{"kind":"began","unit":"a~1"}
{"kind":"ended","unit":"a","status":"cancelled"}
{"kind":"resumed"}
{"kind":"began","unit":"a~1"}
{"kind":"said","unit":"a~1"}
`: 0,
		`
{"kind":"began","unit":"a~1"}
{"kind":"said","unit":"a~1"}
{"kind":"ended","unit":"a","status":"cancelled"}
{"kind":"resumed"}
{"kind":"began","unit":"a~1"}
`: 1,
	} {
		if got := folded(t, false, records).Top.Steps["a"].Ends; len(got) != want {
			t.Errorf("%s: %v", records, got)
		}
	}
}
