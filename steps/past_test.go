package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A history keeps facts as a journal does: as JSON.
type history struct {
	mu    sync.Mutex
	lines [][]byte
	times int // calls that ran, by all who had this history
}

func (h *history) remember(f Fact) {
	line, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(h.lines, line)
}

// first is the past of the first n facts.
func (h *history) first(t *testing.T, n int) (p Past) {
	t.Helper()
	for _, line := range h.lines[:n] {
		var f Fact
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatal(err)
		}
		p.Facts = append(p.Facts, f)
	}
	return p
}

// answersBy plays the turns by what stands in the conversation, so that it does not
// matter who asks: the nth answer follows on n answers.
type answersBy struct {
	info  providers.Info
	turns []play
	mu    sync.Mutex
	asked []providers.Request
}

func (m *answersBy) Info() providers.Info { return m.info }

func (m *answersBy) Stream(ctx context.Context, req providers.Request, _ func(providers.Event)) (providers.Message, error) {
	n := 0
	for _, message := range req.Messages {
		if message.Role == providers.RoleAssistant {
			n++
		}
	}
	m.mu.Lock()
	m.asked = append(m.asked, req)
	m.mu.Unlock()
	return m.turns[n](ctx, req)
}

// conversations have all that a conversation can come to.
func conversations(t *testing.T) map[string]func() (*Agent, *answersBy) {
	schema, err := tools.CompileSchema(json.RawMessage(`{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	typed := Output{Kind: OutputSchema, Schema: schema, Source: json.RawMessage(`{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`)}
	native := providers.Info{Ref: "fake/one", Provider: "fake", StructuredOutput: true}
	byTool := providers.Info{Ref: "fake/one", Provider: "fake"}
	of := func(info providers.Info, a Agent, turns ...play) func() (*Agent, *answersBy) {
		return func() (*Agent, *answersBy) {
			agent, model := a, &answersBy{info: info, turns: turns}
			agent.Model, agent.Prompt, agent.System = model, "go", "you are"
			return &agent, model
		}
	}
	return map[string]func() (*Agent, *answersBy){
		"words":   of(native, Agent{}, says("done")),
		"calls":   of(native, Agent{Stop: Stop{RepeatedCalls: 5}}, calls(`echo {"a":1}`, `long {}`, `fail {}`), calls(`echo {"a":2}`), calls(`echo {"a":2}`), calls(`echo {"a":2}`), says("done")),
		"denied":  of(native, Agent{}, calls(`secret {}`, `echo {}`), says("done")),
		"refused": of(native, Agent{FailOnDenied: true}, calls(`secret {}`), says("done")),
		"typed":   of(native, Agent{Output: typed}, says("no"), calls(`echo {}`), says(`{"n":"x"}`), says(`{"n":1}`)),
		"written": of(native, Agent{}, says(callOfEcho), calls(`echo {}`), says(callOfEcho), says(callOfEcho)),
		"silent": of(native, Agent{Checks: []Check{{Name: "good", Run: func(context.Context, any, string) (Judgement, error) { return Judgement{Good: true}, nil }}}},
			calls(`echo {}`), answer(providers.FinishStop, providers.Block{Type: providers.BlockThinking, Text: "so"}), answer(providers.FinishStop, providers.Block{Type: providers.BlockThinking, Text: "so"})),
		"by tool": of(byTool, Agent{Output: typed}, says("no"), calls(`final_result {}`), calls(`final_result {"n":1}`)),
		"max turns": of(native, Agent{Stop: Stop{MaxTurns: 2, AcceptLimit: true}},
			calls(`echo {"a":1}`), calls(`echo {"a":2}`), says("so far")),
		"when": of(native, Agent{Stop: Stop{When: func(s State) (bool, error) { return s.Turn == 2, nil }}, Output: typed},
			calls(`echo {"a":1}`), calls(`echo {"a":2}`), says("what"), says(`{"n":3}`)),
		"max calls": of(native, Agent{Stop: Stop{MaxToolCalls: 2}}, calls(`echo {"a":1}`, `echo {"a":2}`, `echo {"a":3}`), says("so far")),
		"breaks":    of(native, Agent{}, calls(`echo {}`, `breaks {}`)),
		"breaks off and is paid for": of(native, Agent{}, calls(`echo {}`), func(context.Context, providers.Request) (providers.Message, error) {
			return providers.Message{Usage: providers.Usage{InputTokens: 10}}, &providers.Error{Kind: providers.KindProvider, Message: "no"}
		}),
		"checks": of(native, Agent{MaxFixes: 2, Checks: []Check{{Name: "good", Run: func(_ context.Context, _ any, text string) (Judgement, error) {
			return Judgement{Good: text == "good", Problem: "it is " + text}, nil
		}}}}, says("bad"), calls(`echo {}`), says("worse"), says("good")),
		"trimmed": of(providers.Info{Ref: "fake/one", Provider: "fake", Context: 3000, StructuredOutput: true}, Agent{},
			calls(`big {}`), calls(`big {}`), calls(`big {}`), calls(`big {}`), calls(`big {}`), says("done")),
		"too long": of(native, Agent{}, calls(`big {}`), calls(`big {}`), calls(`big {}`), tooLongAtFirst(says("done"))),
	}
}

// tooLongAtFirst refuses a conversation of which nothing was taken out.
func tooLongAtFirst(then play) play {
	return func(ctx context.Context, req providers.Request) (providers.Message, error) {
		for _, m := range req.Messages {
			for _, b := range m.Blocks {
				if strings.HasPrefix(b.Content, "[taken out") {
					return then(ctx, req)
				}
			}
		}
		return providers.Message{}, &providers.Error{Kind: providers.KindContextLength, Message: "too long"}
	}
}

func (h *history) toolbox(t *testing.T, effects tools.Effects) *tools.Set {
	run := func(text string) func(context.Context, json.RawMessage, *tools.Output) (tools.Result, error) {
		return func(_ context.Context, a json.RawMessage, out *tools.Output) (tools.Result, error) {
			h.mu.Lock()
			h.times++
			h.mu.Unlock()
			_, err := fmt.Fprint(out, text, string(a))
			return tools.Result{}, err
		}
	}
	return toolbox(t, tool{name: "big", effects: effects, run: run(strings.Repeat("word ", 600))}, tool{name: "touch", effects: effects, run: run("touched")})
}

// Cut after each fact and gone on with, a conversation comes to the same result,
// and nothing that was answered is asked again.
func TestAConversationGoesOnFromEachFact(t *testing.T) {
	for name, of := range conversations(t) {
		t.Run(name, func(t *testing.T) {
			h, l := &history{}, &log{}
			agent, model := of()
			agent.Tools = h.toolbox(t, tools.Effects{Reads: []string{"/"}})
			agent.Hooks = l.hooks()
			agent.Hooks.Remember = h.remember
			want := agent.Run(t.Context())
			first, ran := model.asked, h.times
			for n := range len(h.lines) + 1 {
				rest, again := &history{}, &log{}
				agent, model := of()
				agent.Tools = rest.toolbox(t, tools.Effects{Reads: []string{"/"}})
				agent.Hooks = again.hooks()
				agent.Hooks.Remember = rest.remember
				past := h.first(t, n)
				got := agent.From(t.Context(), past)
				if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Error{}, "Err")); diff != "" {
					t.Errorf("from fact %d:\n%s", n, diff)
				}
				answered := 0
				for _, f := range past.Facts {
					if f.Answer != nil {
						answered++
					}
				}
				if len(model.asked)+answered != len(first) {
					t.Errorf("from fact %d: %d requests again, %d were answered of %d", n, len(model.asked), answered, len(first))
				}
				if rest.times > ran {
					t.Errorf("from fact %d: %d calls ran, of %d", n, rest.times, ran)
				}
				if diff := cmp.Diff(first[len(first)-len(model.asked):], model.asked, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(providers.Request{}, "Taken")); diff != "" {
					t.Errorf("from fact %d, the conversation is another:\n%s", n, diff)
				}
				if n == 1 && len(again.events) != len(l.events) { // nothing was said before it was cut
					t.Errorf("from fact %d: %d events, want %d", n, len(again.events), len(l.events))
				}
				if n == len(h.lines) && len(rest.lines)+len(again.events) > 0 {
					t.Errorf("gone on with at its end, there is something new: %s, %v", rest.lines, again.events)
				}
			}
		})
	}
}

// What was in flight is made again where it only reads; what may have changed
// something is told as that.
func TestCallsInFlight(t *testing.T) {
	for name, effects := range map[string]tools.Effects{"reads": {Reads: []string{"/"}}, "writes": {Writes: []string{"/x"}}, "unknown": tools.Everything()} {
		t.Run(name, func(t *testing.T) {
			h := &history{}
			model := playing(calls(`touch {"a":1}`, `touch {"a":2}`), says("done"))
			agent := &Agent{Model: model, Prompt: "go", Tools: h.toolbox(t, effects), Hooks: Hooks{Remember: h.remember}}
			agent.Run(t.Context())
			past := Past{}
			for _, f := range h.first(t, len(h.lines)).Facts {
				if f.CallEnded == nil || f.CallEnded.Place == 0 {
					past.Facts = append(past.Facts, f)
				}
			}
			past.Facts = slices.DeleteFunc(past.Facts, func(f Fact) bool { return f.Answer != nil && f.Answer.Turn == 2 })
			rest := &history{}
			model = playing(says("done"))
			agent = &Agent{Model: model, Prompt: "go", Tools: rest.toolbox(t, effects), Hooks: Hooks{Remember: rest.remember}}
			if r := agent.From(t.Context(), past); r.Text != "done" || r.ToolCalls != 2 {
				t.Fatalf("%+v", r)
			}
			results := model.asked[0].Messages[2].Blocks
			if results[0].Content != `touched{"a":1}` {
				t.Errorf("what had ended: %q", results[0].Content)
			}
			again := name == "reads"
			if ran := rest.times == 1; ran != again || results[1].Error == again || strings.Contains(results[1].Content, "it was cut off") == again {
				t.Errorf("%d ran, %q", rest.times, results[1].Content)
			}
		})
	}
}

// A conversation goes on with a model that gives results in another way.
func TestAnotherModelGoesOn(t *testing.T) {
	for _, native := range []bool{true, false} {
		of := conversations(t)[map[bool]string{true: "typed", false: "by tool"}[native]]
		h := &history{}
		agent, model := of()
		agent.Tools, agent.Hooks.Remember = h.toolbox(t, tools.Effects{}), h.remember
		agent.Run(t.Context())
		for n := range len(h.lines) {
			agent, _ := of()
			agent.Tools = h.toolbox(t, tools.Effects{})
			last := playing(says(`{"n":1}`), calls(`final_result {"n":1}`))
			if native {
				last = playing(calls(`final_result {"n":1}`))
			}
			last.info = providers.Info{Ref: "other/two", Provider: "other", StructuredOutput: !native}
			agent.Model = last
			if r := agent.From(t.Context(), h.first(t, n)); n > 0 && r.Status != Succeeded {
				t.Errorf("native %v, from fact %d: %s %v", native, n, r.Status, r.Error)
			}
			for i, req := range last.asked {
				if native && req.Output != nil {
					t.Errorf("from fact %d, request %d has a schema, which the model does not obey", n, i)
				}
			}
		}
		_ = model
	}
}

// The time that a step may take is not begun anew, and that it was up is not
// forgotten.
func TestTheTimeOfAStepGoesOn(t *testing.T) {
	late := func(ctx context.Context, req providers.Request) (providers.Message, error) {
		if strings.HasPrefix(req.Messages[len(req.Messages)-1].Text(), "Stop here") {
			return says("so far")(ctx, req)
		}
		select {
		case <-ctx.Done():
			return providers.Message{}, ctx.Err()
		case <-time.After(time.Minute):
			return says("late")(ctx, req)
		}
	}
	h := &history{}
	agent := &Agent{Model: playing(calls(`echo {}`), late, says("so far")), Prompt: "go", Tools: toolbox(t), Stop: Stop{Timeout: 50 * time.Millisecond}, Hooks: Hooks{Remember: h.remember}}
	want := agent.Run(t.Context())
	if want.StopReason != ReasonTimeout || want.Text != "so far" {
		t.Fatalf("%+v", want)
	}
	for n := range len(h.lines) + 1 {
		model := playing(says("so far"))
		if past := h.first(t, n); n > 0 {
			known := slices.ContainsFunc(past.Facts, func(f Fact) bool { return f.TimeUp })
			if !known {
				model = playing(late, says("so far"))
			}
			agent := &Agent{Model: model, Prompt: "go", Tools: toolbox(t), Stop: agent.Stop}
			past.Worked = time.Hour
			if got := agent.From(t.Context(), past); got.StopReason != ReasonTimeout || got.Status != Stopped {
				t.Errorf("from fact %d: %+v", n, got)
			}
		}
	}
}

// A check that ran when the time was up has no verdict: the replay comes to the last turn without it.
func TestTheTimeWasUpInACheck(t *testing.T) {
	h := &history{}
	slow := Check{Name: "slow", Run: func(ctx context.Context, _ any, _ string) (Judgement, error) {
		<-ctx.Done()
		return Judgement{}, ctx.Err()
	}}
	agent := &Agent{Model: playing(says("done"), says("so far")), Prompt: "go", Checks: []Check{slow}, Stop: Stop{Timeout: time.Millisecond}, Hooks: Hooks{Remember: h.remember}}
	agent.Run(t.Context())
	agent.Model, agent.Hooks.Remember = playing(says("so far")), nil
	if r := agent.From(t.Context(), h.first(t, 3)); r.StopReason != ReasonTimeout || r.Text != "so far" {
		t.Errorf("%s, %q: %v", r.StopReason, r.Text, r.Error)
	}
}

// What is left of a step's time is what its earlier process has not used.
func TestTheRestOfTheTimeOfAStep(t *testing.T) {
	h := &history{}
	agent := &Agent{Model: playing(calls(`echo {}`), says("done")), Prompt: "go", Tools: toolbox(t), Stop: Stop{Timeout: 10 * time.Minute}, Hooks: Hooks{Remember: h.remember}}
	agent.Run(t.Context())
	past := h.first(t, len(h.lines)-1)
	past.Worked = 9 * time.Minute
	agent.Hooks.Remember = nil
	synctest.Test(t, func(t *testing.T) {
		agent.Model, agent.Tools = playing(stalls("half a word"), says("so far")), toolbox(t)
		start := time.Now()
		if r := agent.From(t.Context(), past); r.StopReason != ReasonTimeout || r.Text != "so far" || time.Since(start) != time.Minute {
			t.Errorf("%s, %q after %v", r.StopReason, r.Text, time.Since(start))
		}
	})
}

// Requests that were retried count among those that were made: a script goes on behind them.
func TestRetriesAreRemembered(t *testing.T) {
	h := &history{}
	busy := breaks(&providers.Error{Kind: providers.KindOverloaded, Message: "busy", Retryable: true, RetryAfter: time.Millisecond})
	agent := &Agent{Model: providers.Retry(playing(busy, busy, calls(`echo {}`), says("done"))), Prompt: "go", Tools: toolbox(t), Hooks: Hooks{Remember: h.remember}}
	agent.Run(t.Context())
	model := playing(says("done"))
	agent.Model, agent.Hooks.Remember = model, nil
	agent.From(t.Context(), h.first(t, len(h.lines)-1))
	if taken := model.asked[0].Taken; taken != 3 {
		t.Errorf("%d requests count as made before, want 3", taken)
	}
}

// A request that was interrupted is made again, and what it had used is paid for. A script plays
// the same turn again, also when the conversation continues once more.
func TestAnInterruptedRequestIsMadeAgain(t *testing.T) {
	model := playing(says("done"))
	spent := Spent{Model: "fake/one", Usage: providers.Usage{InputTokens: 7}}
	past := Past{Facts: []Fact{{Model: &FirstModel{Model: "fake/one"}}, {Answer: &Answer{Turn: 1, Cut: true, Used: []Spent{spent}, Error: &Failure{}}}}}
	r := (&Agent{Model: model, Prompt: "go"}).From(t.Context(), past)
	if want := (providers.Usage{InputTokens: 17, OutputTokens: 5}); r.Text != "done" || r.Turns != 1 || *r.Usage != want {
		t.Errorf("%q after %d turns, %+v used; want %+v", r.Text, r.Turns, *r.Usage, want)
	}
	if taken := model.asked[0].Taken; taken != 0 {
		t.Errorf("%d requests count as made before, want none", taken)
	}
	said := answerOf(t, calls(`echo {}`))
	past.Facts = append(past.Facts, Fact{Answer: &Answer{Turn: 1, Message: said}})
	model = playing(says("done"))
	(&Agent{Model: model, Prompt: "go", Tools: toolbox(t)}).From(t.Context(), past)
	if taken := model.asked[0].Taken; taken != 1 {
		t.Errorf("%d requests count as made before, want one", taken)
	}
}

// Interrupted before it has come to where it was cut off, a conversation has used what it had
// used by then.
func TestAnInterruptedReplayIsPaidFor(t *testing.T) {
	for name, of := range conversations(t) {
		h := &history{}
		agent, _ := of()
		agent.Tools = h.toolbox(t, tools.Effects{})
		agent.Hooks = (&log{}).hooks()
		agent.Hooks.Remember = h.remember
		want := agent.Run(t.Context())
		over, cancel := context.WithCancel(t.Context())
		cancel()
		agent, model := of()
		agent.Tools, agent.Hooks = h.toolbox(t, tools.Effects{}), (&log{}).hooks()
		got := agent.From(over, h.first(t, len(h.lines)))
		if len(model.asked) > 0 || cmp.Diff(want.Usage, got.Usage) != "" || cmp.Diff(want.CostUSD, got.CostUSD) != "" {
			t.Errorf("%s: %s, %d requests, used %+v, want %+v", name, got.Status, len(model.asked), got.Usage, want.Usage)
		}
	}
}

func answerOf(t *testing.T, turn play) providers.Message {
	m, err := turn(t.Context(), providers.Request{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAPastThatDoesNotFit(t *testing.T) {
	agent := &Agent{Model: playing(says("done")), Prompt: "go"}
	yes := true
	for _, facts := range [][]Fact{
		{{When: &yes}},
		{{Model: &FirstModel{}}, {When: &yes}},
		{{Model: &FirstModel{}}, {Answer: &Answer{}}, {Answer: &Answer{}}, {Check: &Verdict{}}},
	} {
		if r := agent.From(t.Context(), Past{Facts: facts}); r.Status != Failed && r.Status != Succeeded || r.Status == Failed && r.Error.Kind != KindInternal {
			t.Errorf("%+v", r)
		}
	}
}

// TestNoVerdictWithoutChecks: none is noted, and one that an earlier flow noted is no
// obstacle.
func TestNoVerdictWithoutChecks(t *testing.T) {
	h := &history{}
	agent := &Agent{Model: playing(says("done")), Prompt: "go", Hooks: Hooks{Remember: h.remember}}
	if r := agent.Run(t.Context()); r.Status != Succeeded {
		t.Fatalf("%+v", r)
	}
	past := h.first(t, len(h.lines))
	if len(past.Facts) != 2 || past.Facts[1].Answer == nil {
		t.Fatalf("%+v", past.Facts)
	}
	past.Facts = append(past.Facts, Fact{Check: &Verdict{}})
	agent.Model = playing() // it has nothing to say
	if r := agent.From(t.Context(), past); r.Status != Succeeded || r.Text != "done" {
		t.Errorf("%+v", r)
	}
}

// A call that an interrupt cancelled has not ended: the conversation goes on as if it had been killed there.
func TestInterruptedCallsGoOn(t *testing.T) {
	for name, effects := range map[string]tools.Effects{"reads": {Reads: []string{"/"}}, "writes": {Writes: []string{"/x"}}} {
		t.Run(name, func(t *testing.T) {
			h := &history{}
			ctx, cancel := context.WithCancel(t.Context())
			slow := tool{name: "slow", effects: effects, run: func(ctx context.Context, _ json.RawMessage, out *tools.Output) (tools.Result, error) {
				h.times++
				if h.times > 1 {
					_, err := out.Write([]byte("looked"))
					return tools.Result{}, err
				}
				cancel()
				<-ctx.Done()
				return tools.Result{}, context.Cause(ctx)
			}}
			agent := &Agent{Model: playing(calls(`slow {}`)), Prompt: "go", Tools: toolbox(t, slow), Hooks: Hooks{Remember: h.remember}}
			if r := agent.Run(ctx); r.Status != Cancelled {
				t.Fatalf("%+v", r)
			}
			model := playing(says("done"))
			agent.Model = model
			if r := agent.From(t.Context(), h.first(t, len(h.lines))); r.Text != "done" || r.ToolCalls != 1 {
				t.Fatalf("%+v", r)
			}
			again := name == "reads"
			content := model.asked[0].Messages[2].Blocks[0].Content
			if (h.times == 2) != again || (content == "looked") != again || strings.Contains(content, "it was cut off") == again {
				t.Errorf("it ran %d times, %q", h.times, content)
			}
		})
	}
}
