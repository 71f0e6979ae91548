package view

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// deniedIn is the event of a denied read in an element of a step.
func deniedIn(step string, index int, path string) runner.Event {
	return runner.Event{Step: step, Index: &index, Event: steps.Event{
		Type: steps.CallFinished, Tool: "read", Status: tools.Denied, Input: fmt.Appendf(nil, `{"filePath":%q}`, path),
	}}
}

func TestDenialsAreCounted(t *testing.T) {
	counted := new(Run)
	for i := range 1200 {
		counted.Take(deniedIn("all", i, "../same"))
	}
	counted.Take(deniedIn("one", 3, "../same"))
	counted.Take(deniedIn("one", 3, "../same"))
	for i := range maxDenials {
		counted.Take(deniedIn("many", i, fmt.Sprint(i)))
	}
	lines := counted.denials.lines(counted.Denied)
	want := []string{"denied 1,200 times: step \"all\" called `read ../same`", "denied 2 times: step \"one[3]\" called `read ../same`", "denied: step \"many[0]\" called `read 0`"}
	if diff := cmp.Diff(want, lines[:3]); diff != "" {
		t.Error(diff)
	}
	if len(lines) != maxDenials+1 || lines[maxDenials] != "denied: 2 calls more" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

// TestDenialsOfEarlierProcesses: the end of a unit counts them, and they are not named again.
func TestDenialsOfEarlierProcesses(t *testing.T) {
	r := new(Run)
	r.Take(runner.Event{Step: "a", StepKind: string(workflows.KindPrompt), Event: steps.Event{Type: runner.StepStarted}})
	came := &Counts{Calls: 1, Denied: 1}
	r.Take(runner.Event{Step: "a", Came: came, Event: steps.Event{Type: runner.StepFinished}})
	if lines := r.denials.lines(r.Denied); r.Denied != 1 || len(lines) != 1 || lines[0] != "denied: 1 call more" {
		t.Errorf("%d denied, %q", r.Denied, lines)
	}
}

// TestPlace: all attempts of a step are in one place, and rounds and attempts around
// it in several.
func TestPlace(t *testing.T) {
	two := 2
	for want, e := range map[string]runner.Event{
		"":          {},
		"s":         {Unit: address("s~3")},
		"s[2]":      {Unit: address("s[2]~2")},
		"g[1]/s[2]": {Unit: address("g[1]/s[2]~2")},
		"g/s#2":     {Unit: address("g/s#2~2")},
		"g~2/s":     {Unit: address("g~2/s")},
		"old":       {Step: "old"},
		"old[2]":    {Step: "old", Index: &two},
	} {
		if got := Place(e); got != want {
			t.Errorf("%v is at %s, want %s", e.Unit, got, want)
		}
	}
}

// address is the unit of an address.
func address(text string) journal.Address {
	u, err := journal.ParseAddress(text)
	if err != nil {
		panic(err)
	}
	return u
}

// TestTallyOfAttempts: what several attempts took is counted once, for the
// element, the step and the run.
func TestTallyOfAttempts(t *testing.T) {
	counted, zero := new(Run), 0
	event := func(kind steps.EventType, attempt int) runner.Event {
		e := runner.Event{Step: "s", Index: &zero, StepKind: "prompt", Event: steps.Event{Type: kind, Usage: &providers.Usage{InputTokens: 10}}}
		if attempt > 1 {
			e.Unit, e.StepAttempt = address(fmt.Sprintf("s[0]~%d", attempt)), attempt
		}
		if kind != steps.TurnFinished {
			e.Usage = nil
		}
		return e
	}
	counted.Take(runner.Event{Step: "s", Items: &zero, Event: steps.Event{Type: runner.StepStarted}})
	element := counted.Take(event(runner.StepStarted, 0))
	counted.Take(event(steps.TurnFinished, 0))
	counted.Take(event(steps.TurnFinished, 2))
	ended := event(runner.StepFinished, 0)
	ended.Turns = 2
	counted.Take(ended)
	for name, at := range map[string]*Counts{"the run": &counted.Counts, "the step": &counted.unit("s").Counts, "the element": &element.Counts} {
		if at.Turns != 2 || at.Tokens != 20 {
			t.Errorf("%s: %d turns, %d tokens; want 2 and 20", name, at.Turns, at.Tokens)
		}
	}
}

// TestDoing: what has ended is not shown as if it went on.
func TestDoing(t *testing.T) {
	var at Unit
	clock := time.Time{}.Add(3 * time.Second).Local().Format(time.TimeOnly)
	tell := func(kind steps.EventType, id, input string) {
		at.follow(runner.Event{Event: steps.Event{Type: kind, Turn: 2, CallID: id, Tool: "bash", Input: []byte(input), Delta: id, Wait: 3 * time.Second}})
	}
	tests := []struct {
		kind      steps.EventType
		id, input string
		want      string
	}{
		{steps.TurnStarted, "", "", "turn 2"},
		{steps.CallRunning, "a", `{"command":"sleep 1"}`, "turn 2, bash sleep 1"},
		{steps.CallRunning, "b", `{"command":"sleep 2"}`, "turn 2, bash sleep 2"},
		{steps.CallFinished, "a", `{"command":"sleep 1"}`, "turn 2, bash sleep 2"},
		{steps.CallFinished, "b", `{"command":"sleep 2"}`, "turn 2"},
		{steps.Retry, "", "", "turn 2, waits for a retry until " + clock + ""},
		{steps.TurnStarted, "", "", "turn 2"},
		{steps.BlockDelta, "one", "", "turn 2"},
		{steps.BlockDelta, " word", "", "turn 2, about 2 tokens"},
		{steps.BlockDelta, strings.Repeat("word", 1500), "", "turn 2, about 1,502 tokens"},
		{steps.Retry, "", "", "turn 2, waits for a retry until " + clock + ""},
		{steps.BlockDelta, "one word", "", "turn 2, about 2 tokens"},
		{steps.TurnFinished, "", "", "turn 2"},
	}
	for i, tt := range tests {
		tell(tt.kind, tt.id, tt.input)
		if got := at.Doing(time.Time{}); got != tt.want {
			t.Errorf("event %d: %q, want %q", i, got, tt.want)
		}
	}
}

// A run that succeeded although steps did not has succeeded in part, and at most five of them are named.
func TestOutcome(t *testing.T) {
	if got := Outcome(steps.Succeeded, nil); got != "succeeded" {
		t.Errorf("a run in which all succeeded: %q", got)
	}
	var short []Shortfall
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		short = append(short, Shortfall{Step: name, Unit: name, Failed: 1, Reasons: Reasons{"command": 1}})
	}
	if got := Outcome(steps.Succeeded, short); got != "succeeded in part" {
		t.Errorf("a run that continued: %q", got)
	}
	if got := Outcome(steps.Failed, short); got != "failed" {
		t.Errorf("a run that failed: %q", got)
	}
	lines := Continued(short)
	if len(lines) != 6 || lines[0] != `the run continued although step "a" failed (command error)` || lines[5] != "the run continued although 1 step more failed" {
		t.Errorf("%q", lines)
	}
}

func TestReasonOf(t *testing.T) {
	tests := []struct{ tool, input, said, want string }{
		{"read", `{"filePath":"../s"}`, `Denied: read "../s": it is outside the workspace.`, "it is outside the workspace"},
		{"bash", `{"command":"ls"}`, "Denied: no bash rule allows it.", "no bash rule allows it"},
		{"bash", `{"command":"make"}`, "Denied: nothing was changed: a.go may not be written.\nIt printed:\nok\n", "nothing was changed: a.go may not be written"},
		{"own", `[]`, "Denied", "Denied"},
		{"read", `no JSON`, "Denied: x", "x"},
	}
	for _, tt := range tests {
		if got := reasonOf(steps.Event{Tool: tt.tool, Input: []byte(tt.input), Error: tt.said}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.said, got, tt.want)
		}
	}
}

func TestTruncatedLine(t *testing.T) {
	result := func(truncated, lost int) *runner.StepResult {
		r := new(runner.StepResult)
		r.Truncated, r.Lost = truncated, lost
		return r
	}
	tests := []struct {
		results runner.StepResults
		want    string
	}{
		{runner.StepResults{result(0, 0)}, ""},
		{runner.StepResults{result(1, 0)}, "1 output truncated; full output in r"},
		{runner.StepResults{result(1, 1), result(1, 1)}, "2 outputs truncated; the full output was not kept"},
		{runner.StepResults{result(2, 1), result(1, 0)}, "3 outputs truncated; full output in r, except for 1 that were not kept"},
	}
	for _, tt := range tests {
		if got := TruncatedLine(tt.results, "r"); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestBriefKeepsBothEnds(t *testing.T) {
	text := "expression " + strings.Repeat("é", 900) + ": a number was expected"
	got := Brief(text)
	if len([]rune(got)) != 320 || !strings.HasPrefix(got, "expression é") || !strings.HasSuffix(got, ": a number was expected") {
		t.Errorf("%d characters: %q", len([]rune(got)), got)
	}
	quoted := fmt.Sprintf("%s is wrong, because it has %q", strings.Repeat("a reason in words ", 5), strings.Repeat("x", 900))
	if got := Brief(quoted + ": it must be short"); !strings.Contains(got, strings.Repeat("a reason in words ", 5)+" is wrong, because it has \"xxx") || !strings.HasSuffix(got, "xxx\": it must be short") {
		t.Errorf("%q", got)
	}
	if got := Brief(" short\n"); got != "short" {
		t.Errorf("%q", got)
	}
}

func TestFailureLines(t *testing.T) {
	f := &runner.Failure{Step: "build", Error: steps.Error{Message: "exit status 1\nlast words", Hint: "look"}}
	if diff := cmp.Diff([]string{`step "build" failed: exit status 1`, "  | last words"}, FailureLines(f, false)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{`step "build" failed: exit status 1: last words`}, FailureLines(f, true)); diff != "" {
		t.Error(diff)
	}
}

// TestZeroNarrator: the zero values are of a run that has not begun.
func TestZeroNarrator(t *testing.T) {
	var n Narrator
	lines := n.Lines(runner.Event{Step: "a", StepKind: string(workflows.KindRun), Event: steps.Event{Type: runner.StepStarted}})
	if len(lines) != 1 || len(n.Running()) != 1 {
		t.Errorf("%q, and %d units run", lines, len(n.Running()))
	}
}
