package steps

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// sleeper is a tool that takes as long as its argument says, and tells it.
func sleeper(name string, effects tools.Effects) tool {
	return tool{name: name, effects: effects, run: func(ctx context.Context, a json.RawMessage, out *tools.Output) (tools.Result, error) {
		var given struct{ Seconds int }
		if err := json.Unmarshal(a, &given); err != nil {
			return tools.Result{}, err
		}
		select {
		case <-time.After(time.Duration(given.Seconds) * time.Second):
		case <-ctx.Done():
			return tools.Result{}, ctx.Err()
		}
		_, err := out.Write(a)
		return tools.Result{}, err
	}}
}

func TestCallsOverlapAndAnswersKeepTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		model := playing(calls(`nap {"Seconds":3}`, `nap {"Seconds":1}`, `nap {"Seconds":2}`), says("done"))
		a := Agent{Model: model, Prompt: "go", Tools: toolbox(t, sleeper("nap", tools.Effects{})), Hooks: l.hooks()}
		start := time.Now()
		a.Run(t.Context())
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("took %v, want 3s: the calls are independent", took)
		}
		want := `nap={"Seconds":3};nap={"Seconds":1};nap={"Seconds":2};`
		if got := lastSaid(model.asked[1]); got != want {
			t.Errorf("answers %s, want %s", got, want)
		}
		var order []string
		for _, e := range l.events {
			if strings.HasPrefix(string(e.Type), "call_") {
				order = append(order, string(e.Type)+" "+e.CallID)
			}
		}
		wantOrder := []string{
			"call_pending c1", "call_pending c2", "call_pending c3",
			"call_running", "call_running", "call_running",
			"call_finished c2", "call_finished c3", "call_finished c1",
		}
		for i := 3; i < 6; i++ { // they start together
			order[i], _, _ = strings.Cut(order[i], " ")
		}
		if diff := cmp.Diff(wantOrder, order); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCallsThatConflictWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := sleeper("one", tools.Effects{Writes: []string{"/ws/a"}})
		two := sleeper("two", tools.Effects{Reads: []string{"/ws/a"}})
		a := Agent{
			Model: playing(calls(`one {"Seconds":2}`, `two {"Seconds":2}`), says("done")), Prompt: "go", Tools: toolbox(t, one, two),
		}
		start := time.Now()
		a.Run(t.Context())
		if took := time.Since(start); took != 4*time.Second {
			t.Errorf("took %v, want 4s: one after the other", took)
		}
	})
}

func TestBadCallsAreAnswered(t *testing.T) {
	model := playing(
		calls(`frobnicate {"a":1}`, `echo {"a`, `echo [1]`, `secret {}`, `echo {"a":1}`), says("done"),
	)
	var l log
	a := Agent{Model: model, Prompt: "go", Tools: toolbox(t), Hooks: l.hooks()}
	r := a.Run(t.Context())
	if r.Status != Succeeded || r.ToolCalls != 5 {
		t.Errorf("%s with %d calls, want succeeded with 5", r.Status, r.ToolCalls)
	}
	answers := model.asked[1].Messages[2].Blocks
	for i, want := range []string{"frobnicate", "not a JSON object", "not a JSON object", "secret: deny", `{"a":1}`} {
		if !strings.Contains(answers[i].Content, want) {
			t.Errorf("answer %d is %q, want it to name %q", i, answers[i].Content, want)
		}
		if answers[i].Error != (i < 4) {
			t.Errorf("answer %d: error is %t", i, answers[i].Error)
		}
	}
	want := []Denial{{Tool: "secret", Input: json.RawMessage("{}"), Rule: "secret: deny"}}
	if diff := cmp.Diff(want, r.Denied); diff != "" {
		t.Error(diff)
	}
	for _, e := range l.events { // what is no JSON is shown as a string
		if _, err := json.Marshal(e); err != nil {
			t.Errorf("event %s is not writable: %v", e.Type, err)
		}
	}
}

func TestDeniedCallsNeverRun(t *testing.T) {
	var l log
	a := Agent{
		Model: playing(calls(`echo {}`, `secret {}`, `echo {"later":1}`)), Prompt: "go", Tools: toolbox(t),
		Hooks: l.hooks(), FailOnDenied: true,
	}
	r := a.Run(t.Context())
	if r.StopReason != ReasonDenied || !strings.Contains(r.Error.Message, `tool "secret"`) {
		t.Errorf("%s: %v", r.StopReason, r.Error)
	}
	for _, e := range l.events {
		if e.Type == CallRunning && e.Tool == "secret" {
			t.Error("a denied call is told as running")
		}
	}
}

// Of several denied calls of a turn the first one is why the step ends.
func TestTheFirstDenialIsTold(t *testing.T) {
	d, made := (&Agent{Model: playing()}).open(Past{}), turn{}
	for _, name := range []string{"first", "second"} {
		answer := tools.Answer{Status: tools.Denied, Decision: tools.Decision{Rule: name + ": deny"}}
		d.count(&call{block: providers.Block{Name: name}, answer: answer}, &made)
	}
	if made.denied == nil || made.denied.block.Name != "first" || len(d.c.Denied) != 2 {
		t.Errorf("%+v of %+v", made.denied, d.c.Denied)
	}
}

// With on_denied: fail what has not begun when a call is denied is not begun.
func TestNothingBeginsAfterADenialThatEnds(t *testing.T) {
	everything := tool{name: "all", effects: tools.Everything(), run: func(context.Context, json.RawMessage, *tools.Output) (tools.Result, error) {
		t.Error("run after a denial")
		return tools.Result{}, nil
	}}
	first := tool{name: "secret", effects: tools.Everything()}
	set, err := tools.NewSet([]tools.Entry{{Tool: first}, {Tool: everything}}, tools.SetOptions{Guard: guard{}})
	if err != nil {
		t.Fatal(err)
	}
	a := Agent{Model: playing(calls(`secret {}`, `all {}`)), Prompt: "go", Tools: set, FailOnDenied: true}
	if r := a.Run(t.Context()); r.StopReason != ReasonDenied {
		t.Errorf("%s, want denied", r.StopReason)
	}
}

func TestRefusedCallIsNoDenial(t *testing.T) {
	model := playing(calls(`echo {}`, `echo {"b":1}`), says("so far"))
	var l log
	a := Agent{Model: model, Prompt: "go", Tools: toolbox(t), Hooks: l.hooks(), Stop: Stop{MaxToolCalls: 1}}
	r := a.Run(t.Context())
	if len(r.Denied) != 0 || r.ToolCalls != 1 {
		t.Errorf("%d denied, %d calls, want 0 and 1", len(r.Denied), r.ToolCalls)
	}
	if got := model.asked[1].Messages[2].Blocks[1].Content; !strings.Contains(got, "lets 1 call through") {
		t.Errorf("the model was told %q", got)
	}
	last := Event{}
	for _, e := range l.events {
		if e.Type == CallFinished && e.CallID == "c2" {
			last = e
		}
	}
	if last.Status != tools.Failed || !strings.Contains(last.Error, "max_tool_calls") {
		t.Errorf("told as %q: %s", last.Status, last.Error)
	}
}

func TestRepeatedCallsAreWarnedOf(t *testing.T) {
	again := calls(`long {}`)
	model := playing(again, again, again, again, again, says("circles"))
	a := Agent{Model: model, Prompt: "go", Tools: toolbox(t), Stop: Stop{RepeatedCalls: 5}}
	r := a.Run(t.Context())
	if r.StopReason != ReasonRepeatedCalls || r.ToolCalls != 5 || r.Truncated != 5 {
		t.Errorf("%s after %d calls, %d truncated; want repeated_calls after 5, 5", r.StopReason, r.ToolCalls, r.Truncated)
	}
	for i, req := range model.asked[1:5] {
		warned := strings.Contains(lastSaid(req), "times running")
		if want := i+1 >= 3; warned != want {
			t.Errorf("after call %d the model is warned: %t, want %t", i+1, warned, want)
		}
	}
}

// The path of a whole output is new with each call, and makes no difference.
func TestStreakLooksPastPaths(t *testing.T) {
	called := Called{Tool: "bash", Arguments: json.RawMessage(`{}`), Status: tools.Succeeded}
	s := streak{}
	for _, path := range []string{"outputs/1-bash.txt", "outputs/2-bash.txt"} {
		s = s.after(called, tools.Answer{Content: "left out; see " + path, Path: path})
	}
	if s.Count != 2 {
		t.Errorf("counted %d, want 2", s.Count)
	}
	if s = s.after(called, tools.Answer{Content: "other"}); s.Count != 1 {
		t.Errorf("another result counts %d, want 1", s.Count)
	}
}

func TestEventsComeInOrder(t *testing.T) {
	var l log
	a := Agent{Model: playing(calls(`echo {}`), says("done")), Prompt: "go", Tools: toolbox(t), Hooks: l.hooks()}
	a.Run(t.Context())
	want := "turn_started block_started block_delta block_finished turn_finished call_pending call_running call_finished " +
		"turn_started block_started block_delta block_finished turn_finished"
	if got := l.types(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if e := l.events[4]; e.Turn != 1 || e.Model != "fake/one" || e.Finish != "tool_calls" || e.Usage.InputTokens != 10 || *e.Cost != 0.015 {
		t.Errorf("turn_finished is %+v", e)
	}
}

func TestNewsOfTheProviderIsPassedOn(t *testing.T) {
	var l log
	o := observer{event: l.hooks().Observe}
	emit := func(e providers.Event) { o.observe(relayed(7, e)) }
	emit(providers.Event{Type: providers.Retried, Attempt: 2, Wait: time.Second, Err: context.DeadlineExceeded})
	emit(providers.Event{Type: providers.FellBack, Model: "b/two", Err: context.DeadlineExceeded})
	want := []Event{
		{Type: Retry, Turn: 7, Attempt: 2, Wait: time.Second, Error: "context deadline exceeded"},
		{Type: Warning, Turn: 7, Model: "b/two", Message: "falling back to b/two", Error: "context deadline exceeded"},
	}
	if diff := cmp.Diff(want, l.events); diff != "" {
		t.Error(diff)
	}
}

// A call that can't run is never told as running.
func TestInvalidCallsAreNotRunning(t *testing.T) {
	var l log
	model := playing(calls(`ekho {}`, `echo [1]`, `echo {}`), says("done"))
	a := Agent{Model: model, Prompt: "go", Tools: toolbox(t), Hooks: l.hooks()}
	a.Run(t.Context())
	got := map[string]string{}
	for _, e := range l.events {
		switch e.Type {
		case CallRunning, CallPending:
			got[e.CallID] += string(e.Type) + " "
		case CallFinished:
			got[e.CallID] += string(e.Status)
		}
	}
	want := map[string]string{"c1": "call_pending failed", "c2": "call_pending failed", "c3": "call_pending call_running succeeded"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A call that waits for a person holds the turn up, unless the step ends with another call.
func TestCallsThatWaitForAPerson(t *testing.T) {
	never := func(context.Context, json.RawMessage, *tools.Output) (tools.Result, error) {
		t.Error("a call was run that nobody allowed")
		return tools.Result{}, nil
	}
	set, err := tools.NewSet([]tools.Entry{
		{Tool: tool{name: "long", effects: tools.Everything(), run: never}}, {Tool: tool{name: "secret", effects: tools.Everything(), run: never}},
	}, tools.SetOptions{Guard: guard{asks: true}, Later: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, ends := range []bool{false, true} {
		var l log
		model := playing(calls(`long {}`, `secret {}`))
		a := Agent{Model: model, Prompt: "go", Tools: set, FailOnDenied: ends, Hooks: l.hooks()}
		r := a.Run(t.Context())
		if !ends {
			if r.Status != Waiting || len(r.Pending) != 1 || r.Pending[0].Tool != "long" || r.ToolCalls != 0 {
				t.Errorf("%s, %+v, %d calls", r.Status, r.Pending, r.ToolCalls)
			}
			continue
		}
		if r.Status != Failed || r.StopReason != ReasonDenied || len(r.Pending) != 0 || r.ToolCalls != 2 {
			t.Errorf("%s, %s, %+v, %d calls", r.Status, r.StopReason, r.Pending, r.ToolCalls)
		}
		checkEveryCallAnswered(t, model)
	}
}
