package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/sourcegraph/conc/panics"
)

const ada = `{"name":"Ada","loud":true}`

func TestPrepareAnswersWhatCannotRun(t *testing.T) {
	set := newSet(t, SetOptions{}, Entry{Tool: greet{}}, Entry{Tool: greet{name: "read"}})
	tests := []struct {
		name      string
		tool      string
		arguments string
		want      string
	}{
		{"an unknown tool", "frobnicate", `{"a": 1}`, `There is no tool "frobnicate"; there are greet, read.`},
		{"a name that is near", "gret", `{}`, `There is no tool "gret" (did you mean "greet"?); there are greet, read.`},
		{"arguments that were cut", "greet", `{"name": "Ad`, "The arguments of greet are not a JSON object: no valid JSON: unexpected EOF. Send the call again, whole."},
		{"a list", "greet", `["Ada"]`, "The arguments of greet are not a JSON object: an object was expected. Send the call again, whole."},
		{"no arguments", "greet", ` `, "The arguments of greet do not fit; nothing was run:\n- \"name\" is missing\n- \"loud\" is missing"},
		{"null", "greet", `null`, "The arguments of greet do not fit; nothing was run:\n- \"name\" is missing\n- \"loud\" is missing"},
		{"all that is wrong", "greet", `{"name": 1, "lout": true}`,
			"The arguments of greet do not fit; nothing was run:\n- \"loud\" is missing\n- /name: got number, want string\n- \"lout\" is not known (did you mean \"loud\"?)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			call := set.Prepare(test.tool, json.RawMessage(test.arguments))
			if call.Name != test.tool || string(call.Arguments) != test.arguments {
				t.Errorf("got the call %s %s", call.Name, call.Arguments)
			}
			if call.Effects().touches() {
				t.Error("a call that can't run touches something")
			}
			if d, err := call.Decide(t.Context()); d.Verdict != Allow || err != nil {
				t.Errorf("got %v, %v", d, err)
			}
			answer, err := call.Run(t.Context())
			if err != nil || answer.Status != Failed || answer.Content != test.want {
				t.Errorf("got %+v, %v\nwant %q", answer, err, test.want)
			}
		})
	}
}

func TestRunWithPinned(t *testing.T) {
	set := newSet(t, SetOptions{}, Entry{Tool: greet{}, Pinned: map[string]any{"loud": false}})
	for _, arguments := range []string{`{"name":"Ada"}`, `{"loud":false,"name":"Ada"}`} {
		call := set.Prepare("greet", json.RawMessage(arguments))
		answer, err := call.Run(t.Context())
		want := `{"loud":false,"name":"Ada"}`
		if err != nil || answer.Content != want || string(call.Arguments) != want {
			t.Errorf("got %+v, %v for %s", answer, err, call.Arguments)
		}
	}
}

// TestPinnedIsFixed: a call that asks for something else than is pinned is answered, and not run with
// what is pinned.
func TestPinnedIsFixed(t *testing.T) {
	pinned := map[string]any{"loud": false, "name": "Ada", "n": 1, "list": []string{"a"}}
	for arguments, fixed := range map[string]string{
		`{"loud":true}`: "loud", `{"name":"Bob"}`: "name", `{"name":null}`: "name", `{"n":2}`: "n", `{"list":["a","b"]}`: "list",
		`{"name":"Ada","n":1.0,"list":["a"],"other":2}`: "", `{}`: "",
	} {
		judged := &recorder{verdict: Allow}
		set := newSet(t, SetOptions{Guard: judged}, Entry{Tool: greet{schema: "{}"}, Pinned: pinned, MaxCalls: 1})
		answer, err := set.Prepare("greet", json.RawMessage(arguments)).Run(t.Context())
		want := fmt.Sprintf("Nothing was run: the argument %q of greet is fixed, and a call can't set it to anything else. Send the call again without it.", fixed)
		if err != nil || fixed == "" && answer.Status != Succeeded || fixed != "" && (answer.Status != Failed || answer.Content != want || judged.asked > 0) {
			t.Errorf("%s: got %s %q, %v", arguments, answer.Status, answer.Content, err)
		}
	}
}

// TestRunGetsWhatWasJudged gives a name twice: the guard and the tool have to
// see the same one.
func TestRunGetsWhatWasJudged(t *testing.T) {
	judged := &recorder{verdict: Allow}
	set := newSet(t, SetOptions{Guard: judged}, Entry{Tool: greet{schema: "{}"}})
	answer, _ := set.Prepare("greet", json.RawMessage(`{"a": "x", "id": 12345678901234567890, "a": "y"}`)).Run(t.Context())
	want := `{"a":"y","id":12345678901234567890}`
	if answer.Content != want || string(judged.arguments) != want {
		t.Errorf("judged %s, ran %s", judged.arguments, answer.Content)
	}
}

// recorder is a guard that keeps what it was asked, or breaks down.
type recorder struct {
	verdict   Verdict
	arguments json.RawMessage
	asked     int
}

func (r *recorder) Decide(_ context.Context, _ string, arguments json.RawMessage) Decision {
	r.asked++
	r.arguments = arguments
	if r.verdict == "panic" {
		panic("broken rules")
	}
	return Decision{Verdict: r.verdict, Rule: "the rule", Reason: "the reason"}
}

func (*recorder) Offered(string) bool { return true }

func TestDecide(t *testing.T) {
	yes := func(_ context.Context, _ string, _ json.RawMessage, d Decision) (Decision, error) {
		d.Verdict = Allow
		return d, nil
	}
	no := func(_ context.Context, _ string, _ json.RawMessage, d Decision) (Decision, error) {
		return Decision{Verdict: Deny, Rule: d.Rule, Reason: "the user said no"}, nil
	}
	errAsk := errors.New("the run ends here")
	broken := func(_ context.Context, _ string, _ json.RawMessage, d Decision) (Decision, error) {
		d.Verdict = Allow
		return d, errAsk
	}
	undecided := func(_ context.Context, _ string, _ json.RawMessage, d Decision) (Decision, error) { return d, nil }
	silent := func(context.Context, string, json.RawMessage, Decision) (Decision, error) { return Decision{}, nil }
	crashing := func(context.Context, string, json.RawMessage, Decision) (Decision, error) { panic("asker") }
	tests := []struct {
		name    string
		verdict Verdict
		ask     Asker
		status  Status
		content string
		err     string
	}{
		{name: "allow", verdict: Allow, status: Succeeded, content: ada},
		{name: "deny", verdict: Deny, ask: yes, status: Denied, content: `Denied by the rule "the rule": the reason.`},
		{name: "nothing", verdict: "", ask: yes, status: Denied, content: `Denied by the rule "the rule": the reason.`},
		{name: "another word", verdict: "Allow", ask: yes, status: Denied, content: `Denied by the rule "the rule": the reason.`},
		{name: "ask nobody", verdict: Ask, status: Denied, content: `Denied by the rule "the rule": the reason, and nobody can be asked.`},
		{name: "ask, yes", verdict: Ask, ask: yes, status: Succeeded, content: ada},
		{name: "ask, no", verdict: Ask, ask: no, status: Denied, content: `Denied by the rule "the rule": the user said no.`},
		{name: "ask, and no answer", verdict: Ask, ask: broken, status: Denied, content: `Denied by the rule "the rule": the reason, and asking for approval failed.`, err: "asking about greet failed: the run ends here"},
		{name: "ask, and no decision", verdict: Ask, ask: undecided, status: Denied, content: `Denied by the rule "the rule": the reason, and asking for approval gave no decision.`},
		{name: "ask, and nothing", verdict: Ask, ask: silent, status: Denied, content: `Denied by the rule "the rule": the reason, and asking for approval gave no decision.`},
		{name: "ask, and a crash", verdict: Ask, ask: crashing, status: Denied, content: `Denied by the rule "the rule": the reason, and asking for approval crashed.`, err: "asking about greet crashed: panic: asker"},
		{name: "a guard that breaks", verdict: "panic", ask: yes, status: Denied, content: "Denied: the rules could not be evaluated.", err: "policy of greet: panic: broken rules"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			guard := &recorder{verdict: test.verdict}
			set := newSet(t, SetOptions{Guard: guard, Ask: test.ask}, Entry{Tool: greet{run: echo}})
			call := set.Prepare("greet", json.RawMessage(ada))
			if guard.asked != 0 {
				t.Error("decided before its time")
			}
			call.Decide(t.Context())
			answer, err := call.Run(t.Context())
			if answer.Status != test.status || answer.Content != test.content || guard.asked != 1 {
				t.Errorf("asked %d times, got %+v", guard.asked, answer)
			}
			if (err == nil) != (test.err == "") || err != nil && !strings.HasPrefix(err.Error(), test.err) {
				t.Errorf("got error %v, want %q", err, test.err)
			}
		})
	}
}

func echo(_ context.Context, _ json.RawMessage, out *Output) (Result, error) {
	_, err := io.WriteString(out, ada)
	return Result{}, err
}

func TestRunResults(t *testing.T) {
	disk := errors.New("input/output error")
	tests := []struct {
		name    string
		run     func(ctx context.Context, arguments json.RawMessage, out *Output) (Result, error)
		status  Status
		content string
		err     string
	}{
		{"a note", func(_ context.Context, _ json.RawMessage, out *Output) (Result, error) {
			fmt.Fprint(out, "before")
			return Result{Failed: true, Note: "exit code 37"}, nil
		}, Failed, "before\nexit code 37", ""},
		{"an error", func(_ context.Context, _ json.RawMessage, out *Output) (Result, error) {
			fmt.Fprintln(out, "before")
			return Result{}, disk
		}, Failed, "before\nFailed: input/output error", `tool "greet": input/output error`},
		{"a panic", func(_ context.Context, _ json.RawMessage, out *Output) (Result, error) {
			fmt.Fprintln(out, "before")
			panic("index out of range")
		}, Failed, "before\nThe tool broke down; this is no fault of the call.", `tool "greet": panic: index out of range`},
		{"a denial of its own", func(context.Context, json.RawMessage, *Output) (Result, error) {
			return Result{Denied: &Decision{Verdict: Deny, Reason: "a.go is read-only"}}, nil
		}, Denied, "Denied: a.go is read-only.", ""},
		{"an output that it closed", func(_ context.Context, _ json.RawMessage, out *Output) (Result, error) {
			out.Close()
			return Result{Note: "done"}, nil
		}, Succeeded, "done", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set := newSet(t, SetOptions{}, Entry{Tool: greet{run: test.run}})
			answer, err := set.Prepare("greet", json.RawMessage(ada)).Run(t.Context())
			if answer.Status != test.status || answer.Content != test.content {
				t.Errorf("got %+v", answer)
			}
			if (err == nil) != (test.err == "") || err != nil && !strings.HasPrefix(err.Error(), test.err) {
				t.Errorf("got error %v, want %q", err, test.err)
			}
			var stack *panics.ErrRecovered
			if panicked := test.name == "a panic"; panicked != errors.As(err, &stack) || panicked && strings.Contains(err.Error(), "goroutine") {
				t.Errorf("a panic's stack in %v: %v", err, stack)
			}
		})
	}
}

func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	waits := func(ctx context.Context, _ json.RawMessage, out *Output) (Result, error) {
		fmt.Fprint(out, "so far")
		cancel(errors.New("the budget is used up"))
		return Result{Failed: true}, ctx.Err()
	}
	set := newSet(t, SetOptions{}, Entry{Tool: greet{run: waits}})
	answer, err := set.Prepare("greet", json.RawMessage(ada)).Run(ctx)
	if err != nil || answer.Status != Cancelled || answer.Content != "so far\nCancelled: the budget is used up" {
		t.Errorf("got %+v, %v", answer, err)
	}
	twice, end := context.WithCancelCause(t.Context())
	end(errors.New("cancelled: the budget is used up"))
	if again := cancelled(twice, ""); again.Content != answer.Content[len("so far\n"):] {
		t.Errorf("a cause that says so, too: %q", again.Content)
	}
	open := greet{run: func(context.Context, json.RawMessage, *Output) (Result, error) { return Result{Open: true}, nil }}
	if left, err := newSet(t, SetOptions{}, Entry{Tool: open}).Prepare("greet", json.RawMessage(ada)).Run(t.Context()); err != nil || !left.Open {
		t.Errorf("open, and not cancelled: %+v, %v", left, err)
	}
	guard := &recorder{verdict: Allow}
	set = newSet(t, SetOptions{Guard: guard}, Entry{Tool: greet{run: waits}})
	answer, err = set.Prepare("greet", json.RawMessage(ada)).Run(ctx)
	if err != nil || answer.Status != Cancelled || guard.asked != 0 {
		t.Errorf("got %+v, %v; the guard was asked %d times", answer, err, guard.asked)
	}
}

func TestRunMasks(t *testing.T) {
	mask := NewMask([]string{"tok-5f2e9c"})
	tell := func(_ context.Context, _ json.RawMessage, out *Output) (Result, error) {
		fmt.Fprint(out, "out tok-5f2e9c")
		return Result{Note: "note tok-5f2e9c"}, nil
	}
	set := newSet(t, SetOptions{Mask: mask}, Entry{Tool: greet{run: tell}})
	for _, name := range []string{"greet", "tok-5f2e9c"} {
		answer, _ := set.Prepare(name, json.RawMessage(ada)).Run(t.Context())
		if strings.Contains(answer.Content, "tok-") || !strings.Contains(answer.Content, "***") {
			t.Errorf("got %q", answer.Content)
		}
	}
}

// A program gets what the tool printed, and none of the words for a model.
func TestReveal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tell := func(note string, failed bool, end func()) func(context.Context, json.RawMessage, *Output) (Result, error) {
		return func(ctx context.Context, _ json.RawMessage, out *Output) (Result, error) {
			fmt.Fprint(out, "out tok-5f2e9c")
			end()
			return Result{Note: note, Failed: failed}, ctx.Err()
		}
	}
	tests := []struct {
		name      string
		tool      Tool
		arguments string
		guard     Verdict
		want      Answer // its status and output
		whole     string
	}{
		{"succeeded", greet{run: tell("", false, func() {})}, ada, Allow, Answer{Status: Succeeded, Output: "out tok-5f2e9c"}, "out tok-5f2e9c"},
		{"failed", greet{run: tell("exit code 1", true, func() {})}, ada, Allow, Answer{Status: Failed, Output: "out tok-5f2e9c\nexit code 1"}, "out tok-5f2e9c"},
		{"invalid", greet{}, `[]`, Allow, Answer{Status: Failed}, ""},
		{"denied", greet{}, ada, Deny, Answer{Status: Denied}, ""},
		{"cancelled", greet{run: tell("", true, cancel)}, ada, Allow, Answer{Status: Cancelled, Output: "out tok-5f2e9c"}, "out tok-5f2e9c"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set := newSet(t, SetOptions{Mask: NewMask([]string{"tok-5f2e9c"}), Guard: &recorder{verdict: test.guard}}, Entry{Tool: test.tool})
			call := set.Prepare("greet", json.RawMessage(test.arguments))
			if call.Invalid() != (test.name == "invalid") {
				t.Errorf("invalid: %v", call.Invalid())
			}
			var whole bytes.Buffer
			answer, err := call.Reveal(ctx, &whole)
			if err != nil || answer.Status != test.want.Status || answer.Output != test.want.Output || whole.String() != test.whole {
				t.Errorf("got %+v, %v, whole %q", answer, err, whole.String())
			}
			if answer.Status != Succeeded && answer.Content == "" {
				t.Error("nobody is told why")
			}
		})
	}
}

func TestFreshSetCountsItsOwnCalls(t *testing.T) {
	set := newSet(t, SetOptions{}, Entry{Tool: greet{}, MaxCalls: 1})
	for range 2 {
		fresh := set.With(Outputs{})
		for _, want := range []Status{Succeeded, Failed} {
			answer, _ := fresh.Prepare("greet", json.RawMessage(`{"name":"you","loud":true}`)).Run(t.Context())
			if answer.Status != want {
				t.Errorf("got %s, want %s: %s", answer.Status, want, answer.Content)
			}
		}
	}
}

func TestMaxCalls(t *testing.T) {
	set := newSet(t, SetOptions{}, Entry{Tool: greet{}, MaxCalls: 2}, Entry{Tool: greet{name: "once"}, MaxCalls: 1})
	var got []string
	for _, arguments := range []string{`{}`, ada, ada, ada, `{}`} {
		answer, _ := set.Prepare("greet", json.RawMessage(arguments)).Run(t.Context())
		got = append(got, string(answer.Status))
		if arguments == ada && answer.Status == Failed && answer.Content != "Refused: greet may be called 2 times, and has been." {
			t.Errorf("got %q", answer.Content)
		}
	}
	if want := "failed succeeded succeeded failed failed"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if answer, _ := set.Prepare("once", json.RawMessage(ada)).Run(t.Context()); answer.Status != Succeeded {
		t.Errorf("another tool's calls were counted: %+v", answer)
	}
}

func TestCallEffects(t *testing.T) {
	changes := func(json.RawMessage) Effects { return Effects{Writes: []string{"/x"}} }
	breaks := func(json.RawMessage) Effects { panic("broken") }
	tests := []struct {
		name   string
		entry  Entry
		want   string
		writes bool
	}{
		{"its own", Entry{Tool: greet{}}, "{[/names] [] false}", false},
		{"auto", Entry{Tool: greet{}, Parallel: ParallelAuto}, "{[/names] [] false}", false},
		{"never", Entry{Tool: greet{}, Parallel: ParallelNever}, "{[] [] true}", false},
		{"always", Entry{Tool: greet{}, Parallel: ParallelAlways}, "{[] [] false}", false},
		{"always, though it writes", Entry{Tool: greet{effects: changes}, Parallel: ParallelAlways}, "{[] [] false}", true},
		{"a tool that breaks", Entry{Tool: greet{effects: breaks}}, "{[] [] true}", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set := newSet(t, SetOptions{}, test.entry)
			call := set.Prepare("greet", json.RawMessage(ada))
			if got := fmt.Sprint(call.Effects()); got != test.want || call.Writes() != test.writes {
				t.Errorf("got %s, writes: %v; want %s, %v", got, call.Writes(), test.want, test.writes)
			}
			if set.Prepare("greet", json.RawMessage(`{"nobody": 1}`)).Writes() {
				t.Error("a call that can't run writes")
			}
		})
	}
}

func TestSetConcurrent(t *testing.T) {
	set := newSet(t, SetOptions{}, Entry{Tool: greet{}, MaxCalls: 10})
	var succeeded [40]bool
	var calls sync.WaitGroup
	for i := range succeeded {
		calls.Go(func() {
			answer, _ := set.Prepare("greet", json.RawMessage(ada)).Run(t.Context())
			succeeded[i] = answer.Status == Succeeded
		})
	}
	calls.Wait()
	if n := strings.Count(fmt.Sprint(succeeded), "true"); n != 10 {
		t.Errorf("%d calls succeeded", n)
	}
}
