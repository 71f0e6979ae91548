package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/script"
)

// say is a turn that answers the same to everything.
func say(answer script.Answer) script.Turn {
	return func(script.Scene) (script.Answer, error) { return answer, nil }
}

func texts(words ...string) []script.Turn {
	var turns []script.Turn
	for _, word := range words {
		turns = append(turns, say(script.Answer{Text: word}))
	}
	return turns
}

// one is the model of a script with the given turns for any step.
func one(turns ...script.Turn) *script.Model {
	return script.New("script/test", script.Script{Steps: map[string][]script.Turn{script.AnyStep: turns}})
}

func ignore(providers.Event) {}

func TestStreamTellsEveryBlock(t *testing.T) {
	long := strings.Repeat("häuser und bäume ", 400)
	model := one(say(script.Answer{
		Thinking: "Let me see.",
		Text:     long,
		Calls: []script.Call{
			{Name: "read", Arguments: map[string]any{"filePath": "a&b.md"}},
			{Name: "list"},
		},
		Usage: &providers.Usage{InputTokens: 7, OutputTokens: 3},
	}))
	var events []providers.Event
	got, err := model.Stream(t.Context(), providers.Request{}, func(e providers.Event) { events = append(events, e) })
	if err != nil {
		t.Fatal(err)
	}
	want := providers.Message{
		Role: providers.RoleAssistant,
		Blocks: []providers.Block{
			{Type: providers.BlockThinking, Text: "Let me see."},
			{Type: providers.BlockText, Text: long},
			{Type: providers.BlockToolCall, ID: "call_1", Name: "read", Arguments: json.RawMessage(`{"filePath":"a&b.md"}`)},
			{Type: providers.BlockToolCall, ID: "call_2", Name: "list", Arguments: json.RawMessage(`{}`)},
		},
		Provider: "script", Model: "script/test", Finish: providers.FinishToolCalls,
		Usage: providers.Usage{InputTokens: 7, OutputTokens: 3},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Blocks, assemble(t, events)); diff != "" {
		t.Errorf("blocks put together from events (-want +got):\n%s", diff)
	}
}

// assemble puts blocks together from their events, and checks the order.
func assemble(t *testing.T, events []providers.Event) []providers.Block {
	t.Helper()
	var blocks []providers.Block
	var delta strings.Builder
	for _, e := range events {
		switch e.Type {
		case providers.BlockStarted:
			if e.Index != len(blocks) {
				t.Fatalf("block %d starts as %d", len(blocks), e.Index)
			}
			blocks = append(blocks, e.Block)
			delta.Reset()
		case providers.BlockDelta:
			delta.WriteString(e.Delta)
		case providers.BlockFinished:
			last := &blocks[len(blocks)-1]
			if last.Type == providers.BlockToolCall {
				last.Arguments = json.RawMessage(delta.String())
			} else {
				last.Text = delta.String()
			}
			if diff := cmp.Diff(*last, e.Block); diff != "" {
				t.Errorf("deltas against the finished block:\n%s", diff)
			}
		}
	}
	return blocks
}

func TestAnswers(t *testing.T) {
	call := []script.Call{{Name: "read"}}
	tests := []struct {
		name   string
		answer script.Answer
		text   string
		finish providers.Finish
		err    string
	}{
		{name: "empty", finish: "stop"},
		{name: "text", answer: script.Answer{Text: "hi"}, text: "hi", finish: "stop"},
		{name: "calls", answer: script.Answer{Calls: call}, finish: "tool_calls"},
		{name: "stop with calls is tool_calls", answer: script.Answer{Calls: call, Finish: "stop"}, finish: "tool_calls"},
		{name: "length with calls stays", answer: script.Answer{Calls: call, Finish: "length"}, finish: "length"},
		{name: "content filter", answer: script.Answer{Text: "Once", Finish: "content_filter"}, text: "Once", finish: "content_filter"},
		{name: "output is compact", answer: script.Answer{HasOutput: true, Output: map[string]any{"b": "<&>", "a": 1}}, text: `{"a":1,"b":"<&>"}`, finish: "stop"},
		{name: "output of null", answer: script.Answer{HasOutput: true}, text: "null", finish: "stop"},
		{name: "text and output", answer: script.Answer{Text: "x", HasOutput: true}, err: "both text and output"},
		{name: "unknown finish", answer: script.Answer{Finish: "done"}, err: `finish "done" is not one of`},
		{name: "error is no finish", answer: script.Answer{Finish: "error"}, err: `finish "error" is not one of`},
		{name: "tool_calls without calls", answer: script.Answer{Finish: "tool_calls"}, err: "without a call"},
		{name: "arguments that are no JSON", answer: script.Answer{Calls: []script.Call{{Name: "x", Arguments: func() {}}}}, err: `call 1 ("x"): arguments: json`},
		{name: "output that is no JSON", answer: script.Answer{HasOutput: true, Output: make(chan int)}, err: "output: json"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := one(say(tt.answer)).Stream(t.Context(), providers.Request{Step: "survey"}, ignore)
			if tt.err != "" {
				checkError(t, err, providers.KindProvider, false, `turn 1 of step "survey": `, tt.err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Text() != tt.text || got.Finish != tt.finish {
				t.Errorf("got %q, %s; want %q, %s", got.Text(), got.Finish, tt.text, tt.finish)
			}
		})
	}
}

func checkError(t *testing.T, err error, kind providers.Kind, retryable bool, parts ...string) {
	t.Helper()
	var e *providers.Error
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want a *providers.Error", err)
	}
	if e.Kind != kind || e.Retryable != retryable {
		t.Errorf("got %s, retryable %v; want %s, %v: %v", e.Kind, e.Retryable, kind, retryable, err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}

func TestTurnsAreLookedUp(t *testing.T) {
	steps := map[string][]script.Turn{
		"pages[3]":         texts("the fourth page"),
		"pages[2]~2":       texts("the third page's second attempt"),
		"pages~1":          texts("a first attempt"),
		"pages[1]~1":       texts("the second page's first attempt"),
		"a/pages":          texts("the pages in a"),
		"a[1]/pages":       texts("the pages in the second a"),
		"outer/in#2/ask#1": texts("second outer round"),
		"outer/in#1/ask#2": texts("second inner round"),
		"ask":              texts("any ask"),
		"pages":            texts("any page"),
		"*":                texts("anything"),
	}
	model := script.New("script/test", script.Script{Steps: steps})
	tests := []struct{ conversation, step, want string }{
		{"pages[3]~2", "pages", "the fourth page"},
		{"pages#2[3]~2", "pages", "the fourth page"},
		{"pages[2]~2", "pages", "the third page's second attempt"},
		{"pages[2]~1", "pages", "a first attempt"},
		{"pages[1]~1", "pages", "the second page's first attempt"},
		{"pages[22]~2", "pages", "any page"},
		{"a/pages[3]~1", "a/pages", "the pages in a"},
		{"x/a/pages[3]~1", "x/a/pages", "the pages in a"},
		{"a#2[1]~2/pages[3]~1", "a/pages", "the pages in the second a"},
		{"b/pages~2", "b/pages", "any page"},
		{"outer/in#2/ask#1~1", "outer/in/ask", "second outer round"},
		{"outer/in#1/ask#2~1", "outer/in/ask", "second inner round"},
		{"outer/in#2/ask#2~1", "outer/in/ask", "any ask"},
		{"index~1", "index", "anything"},
		{"a text of another program", "a/pages", "the pages in a"},
	}
	for _, tt := range tests {
		req := providers.Request{Step: tt.step, Conversation: tt.conversation}
		got, err := model.Stream(t.Context(), req, ignore)
		if err != nil || got.Text() != tt.want {
			t.Errorf("%s: got %q, %v; want %q", tt.conversation, got.Text(), err, tt.want)
		}
	}
}

func TestNoTurnsForStep(t *testing.T) {
	model := script.New("script/test", script.Script{Steps: map[string][]script.Turn{"b": nil, "a": nil}})
	_, err := model.Stream(t.Context(), providers.Request{Step: "c"}, ignore)
	checkError(t, err, providers.KindProvider, false, `script/test: turn 1 of step "c": the script has no turns for step "c"`, `has "a", "b"`)

	_, err = script.New("script/test", script.Script{}).Stream(t.Context(), providers.Request{Step: "c"}, ignore)
	checkError(t, err, providers.KindProvider, false, "no steps at all")

	many := map[string][]script.Turn{}
	for i := range 1000 {
		many[strings.Repeat("x", i+1)] = nil
	}
	_, err = script.New("script/test", script.Script{Steps: many}).Stream(t.Context(), providers.Request{Step: "c"}, ignore)
	checkError(t, err, providers.KindProvider, false, "980 more")
	if len(err.Error()) > 4000 {
		t.Errorf("the error has %d bytes", len(err.Error()))
	}
}

func TestConversationsPlayFromTheFirstTurn(t *testing.T) {
	model := one(texts("one", "two")...)
	send := func(conversation string) (string, error) {
		got, err := model.Stream(t.Context(), providers.Request{Step: "s", Conversation: conversation}, ignore)
		return got.Text(), err
	}
	for _, want := range []struct{ conversation, text string }{{"a", "one"}, {"b", "one"}, {"a", "two"}, {"b", "two"}} {
		if got, err := send(want.conversation); err != nil || got != want.text {
			t.Errorf("%s: got %q, %v; want %q", want.conversation, got, err, want.text)
		}
	}
	_, err := send("a")
	checkError(t, err, providers.KindProvider, false, `step "s"`, "turn 3", "2 turns")
}

func TestSceneShowsTheConversation(t *testing.T) {
	var scene script.Scene
	model := one(func(s script.Scene) (script.Answer, error) {
		scene = s
		return script.Answer{Calls: []script.Call{{Name: "read"}}}, nil
	})
	req := providers.Request{
		System: "Be brief.", Prompt: "Go.",
		Messages: []providers.Message{
			providers.UserText("Go."),
			{Role: providers.RoleAssistant, Blocks: []providers.Block{
				{Type: providers.BlockText, Text: "Reading."},
				{Type: providers.BlockToolCall, ID: "call_2", Name: "read"},
			}},
			{Role: providers.RoleTool, Blocks: []providers.Block{
				{Type: providers.BlockToolResult, CallID: "call_2", Name: "read", Content: "fine"},
				{Type: providers.BlockToolResult, CallID: "x", Name: "bash", Content: "denied by *", Error: true},
			}},
			providers.UserText("Go on."),
		},
		Tools: []providers.ToolSpec{{Name: "read", Description: "Reads", Parameters: json.RawMessage(`{"maxLength": 12345678901, "x": [1.5]}`)}},
	}
	got, err := model.Stream(t.Context(), req, ignore)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"prompt": "Go.", "system": "Be brief.", "turn": 1,
		"results": []any{
			map[string]any{"name": "read", "content": "fine", "error": nil},
			map[string]any{"name": "bash", "content": "denied by *", "error": "denied by *"},
		},
		"messages": []any{
			map[string]any{"role": "user", "content": "Go."},
			map[string]any{"role": "assistant", "content": "Reading."},
			map[string]any{"role": "tool", "content": "fine\ndenied by *"},
			map[string]any{"role": "user", "content": "Go on."},
		},
		"tools": []any{map[string]any{
			"name": "read", "description": "Reads",
			"parameters": map[string]any{"maxLength": 12345678901, "x": []any{1.5}},
		}},
	}
	if diff := cmp.Diff(want, scene.Env()); diff != "" {
		t.Errorf("what expressions see (-want +got):\n%s", diff)
	}
	if id := got.Calls()[0].ID; id != "call_3" {
		t.Errorf("the new call is %s, want call_3: call_2 is taken", id)
	}
}

func TestNoToolsShowsNone(t *testing.T) {
	model := one(func(s script.Scene) (script.Answer, error) {
		if len(s.Tools) > 0 || len(s.Env()["tools"].([]any)) > 0 {
			t.Errorf("the scene has tools %v", s.Tools)
		}
		return script.Answer{}, nil
	})
	req := providers.Request{NoTools: true, Tools: []providers.ToolSpec{{Name: "read"}}}
	if _, err := model.Stream(t.Context(), req, ignore); err != nil {
		t.Error(err)
	}
}

func TestTurnThatBreaks(t *testing.T) {
	cause := errors.New("index out of range")
	model := one(func(script.Scene) (script.Answer, error) { return script.Answer{}, cause })
	_, err := model.Stream(t.Context(), providers.Request{Step: "s"}, ignore)
	checkError(t, err, providers.KindConfiguration, false, `turn 1 of step "s": index out of range`)
	if !errors.Is(err, cause) {
		t.Error("the cause is lost")
	}

	req := providers.Request{Conversation: "another", Tools: []providers.ToolSpec{{Name: "x", Parameters: json.RawMessage(`{`)}}}
	_, err = model.Stream(t.Context(), req, ignore)
	checkError(t, err, providers.KindProvider, false, "unexpected EOF")
}

func TestFailures(t *testing.T) {
	tests := []struct {
		failure   script.Failure
		kind      providers.Kind
		retryable bool
	}{
		{script.Failure{Status: 429, RetryAfter: time.Second}, providers.KindRateLimited, true},
		{script.Failure{Status: 500}, providers.KindProvider, true},
		{script.Failure{Status: 503, RetryAfter: 100 * time.Millisecond}, providers.KindOverloaded, true},
		{script.Failure{Status: 529}, providers.KindOverloaded, true},
		{script.Failure{Status: 401, Message: "who are you?"}, providers.KindAuth, false},
		{script.Failure{Status: 404}, providers.KindConfiguration, false},
		{script.Failure{Status: 400, Message: "this model's maximum context length is 8192 tokens"}, providers.KindContextLength, false},
		{script.Failure{}, providers.KindNetwork, true},
		{script.Failure{Message: "reset by peer"}, providers.KindNetwork, true},
	}
	for _, tt := range tests {
		_, err := one(say(script.Answer{Error: &tt.failure})).Stream(t.Context(), providers.Request{}, ignore)
		checkError(t, err, tt.kind, tt.retryable, "script/test: ", tt.failure.Message)
		var e *providers.Error
		if errors.As(err, &e); e.RetryAfter != tt.failure.RetryAfter || e.Status != tt.failure.Status {
			t.Errorf("%+v: got status %d, retry after %v", tt.failure, e.Status, e.RetryAfter)
		}
	}
}

func TestDelay(t *testing.T) {
	turn := say(script.Answer{Text: "late", Delay: time.Hour})
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if _, err := one(turn).Stream(t.Context(), providers.Request{}, ignore); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != time.Hour {
			t.Errorf("took %v, want an hour", took)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		stop := errors.New("step limit")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, stop)
		defer cancel()
		start := time.Now()
		_, err := one(turn).Stream(ctx, providers.Request{}, ignore)
		checkError(t, err, providers.KindCancelled, false, "step limit")
		if !errors.Is(err, stop) || time.Since(start) != time.Minute {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	model := one(say(script.Answer{Text: "one"}))
	_, err := model.Stream(ctx, providers.Request{}, ignore)
	checkError(t, err, providers.KindCancelled, false)
	if got, err := model.Stream(t.Context(), providers.Request{}, ignore); got.Text() != "one" {
		t.Errorf("got %q, %v; a request that was cancelled before it began takes no turn", got.Text(), err)
	}
}

func TestManyConversationsAtOnce(t *testing.T) {
	const conversations, turns = 50, 20
	count := func(s script.Scene) (script.Answer, error) {
		return script.Answer{Output: s.Turn, HasOutput: true}, nil
	}
	var all []script.Turn
	for range turns {
		all = append(all, count)
	}
	model := one(all...)
	var mu sync.Mutex
	seen := map[string]int{}
	var group conc.WaitGroup
	for i := range conversations {
		group.Go(func() {
			for range turns {
				req := providers.Request{Conversation: string(rune('A' + i))}
				got, err := model.Stream(t.Context(), req, ignore)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				seen[got.Text()]++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if len(seen) != turns || seen["1"] != conversations || seen["20"] != conversations {
		t.Errorf("got turns %v", seen)
	}
}
