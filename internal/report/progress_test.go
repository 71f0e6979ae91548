package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/internal/columns"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

func TestProgressCounts(t *testing.T) {
	s := NewProgress(term.NewScreen(new(bytes.Buffer)), term.Painter{}, view.Failures, false)
	s.Event(runner.Event{Step: "s", Event: steps.Event{Type: steps.CallFinished}})
	called := false
	s.Pause(func() { called = true })
	if !called {
		t.Error("what was to run aside did not run")
	}
	if got := s.End().Calls; got != 1 {
		t.Errorf("%d calls, want 1", got)
	}
}

func TestPlainProgress(t *testing.T) {
	succeeded := runner.Event{Step: "s", Status: steps.Succeeded, Event: steps.Event{Type: runner.StepFinished}}
	failed := runner.Event{Step: "s", Status: steps.Failed, Event: steps.Event{Type: runner.StepFinished}}
	inside := failed // of a step that continues
	inside.Tolerated = true
	for _, tt := range []struct {
		end   runner.Event
		paint term.Painter
		want  string
	}{
		{succeeded, term.Painter{}, "s: succeeded in 0.0s\n"},
		{succeeded, term.Painter{On: true}, "s: \x1b[32msucceeded\x1b[0m in 0.0s\n"},
		{failed, term.Painter{On: true}, "s: \x1b[31mfailed\x1b[0m in 0.0s\n"},
		{inside, term.Painter{On: true}, "s: \x1b[33mfailed\x1b[0m in 0.0s, and the run continues\n"},
	} {
		var out bytes.Buffer
		p := NewProgress(term.NewScreen(&out), tt.paint, view.Usual, false)
		defer p.End()
		p.Event(runner.Event{Step: "s", Event: steps.Event{Type: steps.TurnStarted}})
		p.Event(tt.end)
		if out.String() != tt.want {
			t.Errorf("%q, want %q", out.String(), tt.want)
		}
	}
}

func TestLiveView(t *testing.T) {
	var out bytes.Buffer
	l := NewProgress(term.NewScreen(&out), term.Painter{}, view.Usual, true)
	defer l.End()
	now := time.Now()
	for _, step := range []string{"one", "two", "three", "four"} {
		l.Event(runner.Event{Step: step, Time: now, Event: steps.Event{Type: runner.StepStarted}})
	}
	if strings.Contains(out.String(), "started") {
		t.Errorf("the block tells what has started: %q", out.String())
	}
	l.Event(runner.Event{Step: "one", Event: steps.Event{Type: steps.TurnStarted, Turn: 3}})
	l.Event(runner.Event{Step: "one", Event: steps.Event{Type: steps.CallRunning, Tool: "bash", Input: []byte(`{"command": "ls"}`)}})
	var block []string
	l.block.Put(func() []string { block = l.running(now, 79, 9); return nil })
	if len(block) != 5 || !strings.Contains(block[3], "and 1 more") || !strings.Contains(block[4], "all") {
		t.Errorf("block of 4 steps on 9 rows: %q", block)
	}
	if !strings.Contains(block[0], "turn 3, bash ls") {
		t.Errorf("first line %q", block[0])
	}
	l.Event(runner.Event{Step: "two", Status: steps.Succeeded, Event: steps.Event{Type: runner.StepFinished}})
	if !strings.Contains(out.String(), "two: succeeded") {
		t.Errorf("a line that stays: %q", out.String())
	}
}

// TestSmallTerminals: where there is no room for the block there is none, and it
// never has more lines than the terminal.
func TestSmallTerminals(t *testing.T) {
	l := &Progress{}
	for i := range 30 {
		l.Take(runner.Event{Step: "s", Index: &i, Event: steps.Event{Type: runner.StepStarted}})
	}
	for rows := 1; rows < 60; rows++ {
		lines := l.running(time.Now(), 79, rows)
		if len(lines) >= rows || rows < 6 && len(lines) > 0 || rows >= 6 && len(lines) == 0 {
			t.Errorf("%d lines on %d rows", len(lines), rows)
		}
	}
}

// TestBlockForgets: what has ended is not looked at with every drawing, however
// much it is.
func TestBlockForgets(t *testing.T) {
	l := &Progress{}
	l.Take(runner.Event{Step: "s", Event: steps.Event{Type: runner.StepStarted}})
	for i := range 1000 {
		element := runner.Event{Step: "s", Index: &i, Event: steps.Event{Type: runner.StepStarted}}
		l.Take(element)
		l.Take(element) // a second attempt
		if i != 500 {
			element.Type, element.Status = runner.StepFinished, steps.Succeeded
			l.Take(element)
		}
	}
	if running := l.Running(); len(running) != 2 || running[0].Place != "s" || running[1].Place != "s[500]" {
		t.Errorf("%+v", running)
	}
	if lines := l.running(time.Now(), 79, 24); len(lines) != 3 {
		t.Errorf("%q", lines)
	}
}

// TestLiveNumbers: on a narrow terminal, names and calls are cut, but not what a unit does and the numbers
// of the run.
func TestLiveNumbers(t *testing.T) {
	l := &Progress{}
	now := time.Now()
	name, index, of := "a-step-with-a-name-that-is-long", 0, 1200
	l.Take(runner.Event{Step: name, Time: now, Items: &of, Event: steps.Event{Type: runner.StepStarted}})
	l.Take(runner.Event{Step: name, Index: &index, Time: now, Event: steps.Event{Type: runner.StepStarted}})
	l.Take(runner.Event{Step: name, Index: &index, Event: steps.Event{Type: steps.TurnFinished, Turn: 1, Usage: &providers.Usage{InputTokens: 123456}}})
	l.Take(runner.Event{Step: name, Index: &index, Event: steps.Event{Type: steps.TurnStarted, Turn: 2}})
	l.Take(runner.Event{Step: name, Index: &index, Event: steps.Event{Type: steps.CallRunning, Tool: "bash", Input: []byte(`{"command": "go test ./... -run TestThatHasALongName"}`)}})
	for _, wide := range []int{79, 200} {
		lines := l.running(now, wide, 24)
		for _, line := range lines {
			if got := columns.Of(line); got > wide {
				t.Errorf("%d of %d columns: %s", got, wide, line)
			}
		}
		if len(lines) != 3 || !strings.Contains(lines[0], "0 of 1,200, 1 running") || !strings.Contains(lines[2], "123,456 tokens") || !strings.Contains(lines[1], "turn 2") {
			t.Errorf("%d columns: %q", wide, lines)
		}
	}
}

// TestProgressInLog: every 30 seconds a log says how far the run is and what holds it up, also if nothing
// happens, and has no line for an element that succeeds.
func TestProgressInLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := NewProgress(term.NewScreen(&out), term.Painter{}, view.Usual, false)
		tell := func(e runner.Event) { e.Time = time.Now(); p.Event(e) }
		element := func(i int, e runner.Event) {
			e.Step, e.Index = "pages", &i
			tell(e)
		}
		time.Sleep(time.Second / 4) // between ticks
		tell(runner.Event{Workflow: "docs", RunID: "r", Event: steps.Event{Type: runner.RunStarted}})
		of := 300
		tell(runner.Event{Step: "pages", Items: &of, Event: steps.Event{Type: runner.StepStarted}})
		cost := 0.007
		for i := range 120 {
			element(i, runner.Event{Event: steps.Event{Type: runner.StepStarted}})
			element(i, runner.Event{Event: steps.Event{Type: steps.TurnFinished, Usage: &providers.Usage{InputTokens: 10}, Cost: &cost}})
			time.Sleep(2 * time.Second)
			end := runner.Event{Status: steps.Succeeded, Came: &view.Counts{CostUSD: cost}, Event: steps.Event{Type: runner.StepFinished}}
			if i%60 == 59 {
				end.Status, end.Failure = steps.Failed, &steps.Error{Kind: steps.KindTimeout, Message: fmt.Sprint("element ", i)}
			}
			element(i, end)
		}
		element(120, runner.Event{Event: steps.Event{Type: steps.Held, HeldBy: steps.HeldByRate, Until: time.Now().Add(50 * time.Second)}})
		until := time.Now().Add(50 * time.Second).Local().Format(time.TimeOnly)
		time.Sleep(31 * time.Second)
		element(120, runner.Event{Event: steps.Event{Type: steps.Released}})
		p.End()
		want := `docs: run r
pages: started, 300 elements
pages: 15 of 300, $0.11, about 10 min left, about $2.10 in all
pages: 30 of 300, $0.21, about 9 min left, about $2.10 in all
pages: 45 of 300, $0.32, about 9 min left, about $2.10 in all
pages: 60 of 300, 1 failed, $0.42, about 8 min left, about $2.10 in all
pages[59]: failed in 0.0s: 1 turn, 10 tokens, $0.0070
  | element 59
pages: 75 of 300, 1 failed, $0.53, about 8 min left, about $2.10 in all
pages: 90 of 300, 1 failed, $0.63, about 7 min left, about $2.10 in all
pages: 105 of 300, 1 failed, $0.74, about 7 min left, about $2.10 in all
pages: 120 of 300, 2 failed, $0.84, about 6 min left, about $2.10 in all
pages[119]: failed in 0.0s: 1 turn, 10 tokens, $0.0070; element 119
pages: 120 of 300, 2 failed, $0.84, about 7 min left, about $2.10 in all; pages[120] waits for the rate limit of a service until ` + until + "\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
