package steps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A player is a model that plays its turns in order, and keeps what it was
// asked.
type player struct {
	info  providers.Info
	turns []play

	mu    sync.Mutex
	asked []providers.Request
}

type play func(ctx context.Context, req providers.Request) (providers.Message, error)

func playing(turns ...play) *player {
	return &player{turns: turns, info: providers.Info{Ref: "fake/one", Provider: "fake", StructuredOutput: true}}
}

func (p *player) Info() providers.Info { return p.info }

func (p *player) Stream(ctx context.Context, req providers.Request, emit func(providers.Event)) (providers.Message, error) {
	p.mu.Lock()
	p.asked = append(p.asked, req)
	n := len(p.asked)
	p.mu.Unlock()
	if n > len(p.turns) {
		return providers.Message{}, &providers.Error{Kind: providers.KindProvider, Message: fmt.Sprintf("no turn %d", n)}
	}
	m, err := p.turns[n-1](ctx, req)
	for i, b := range m.Blocks {
		emit(providers.Event{Type: providers.BlockStarted, Index: i, Block: providers.Block{Type: b.Type, ID: b.ID, Name: b.Name}})
		emit(providers.Event{Type: providers.BlockDelta, Index: i, Delta: b.Text})
		emit(providers.Event{Type: providers.BlockFinished, Index: i, Block: b})
	}
	return m, err
}

// answer is a turn of these blocks; each counts 10 tokens in and 5 out.
func answer(finish providers.Finish, blocks ...providers.Block) play {
	return func(context.Context, providers.Request) (providers.Message, error) {
		return providers.Message{
			Role: providers.RoleAssistant, Model: "fake/one", Finish: finish, Blocks: blocks,
			Usage: providers.Usage{InputTokens: 10, OutputTokens: 5},
		}, nil
	}
}

func says(text string) play {
	return answer(providers.FinishStop, providers.Block{Type: providers.BlockText, Text: text})
}

// calls is a turn of calls, each written as `name {arguments}`.
func calls(written ...string) play {
	return answer(providers.FinishToolCalls, blocks(written...)...)
}

func blocks(written ...string) []providers.Block {
	var list []providers.Block
	for i, w := range written {
		name, arguments, _ := strings.Cut(w, " ")
		list = append(list, providers.Block{
			Type: providers.BlockToolCall, ID: fmt.Sprintf("c%d", i+1), Name: name, Arguments: json.RawMessage(arguments),
		})
	}
	return list
}

func breaks(err error) play {
	return func(context.Context, providers.Request) (providers.Message, error) {
		return providers.Message{}, err
	}
}

// A tool is a small real one: what it does is a function.
type tool struct {
	name    string
	effects tools.Effects
	run     func(ctx context.Context, arguments json.RawMessage, out *tools.Output) (tools.Result, error)
}

func (t tool) Spec() tools.Spec {
	return tools.Spec{Name: t.name, Description: "Does " + t.name, Parameters: json.RawMessage(`{"type":"object"}`)}
}
func (t tool) Effects(json.RawMessage) tools.Effects { return t.effects }
func (t tool) Run(ctx context.Context, arguments json.RawMessage, out *tools.Output) (tools.Result, error) {
	return t.run(ctx, arguments, out)
}

// The tools of most tests: echo says its arguments, fail fails, breaks breaks
// down, secret is denied, long prints more than is kept.
func toolbox(t testing.TB, more ...tool) *tools.Set {
	t.Helper()
	list := append([]tool{
		{name: "echo", run: func(_ context.Context, a json.RawMessage, out *tools.Output) (tools.Result, error) {
			_, err := out.Write(a)
			return tools.Result{}, err
		}},
		{name: "fail", run: func(context.Context, json.RawMessage, *tools.Output) (tools.Result, error) {
			return tools.Result{Failed: true, Note: "it failed"}, nil
		}},
		{name: "breaks", run: func(context.Context, json.RawMessage, *tools.Output) (tools.Result, error) {
			return tools.Result{}, errors.New("disk on fire")
		}},
		{name: "secret", run: func(context.Context, json.RawMessage, *tools.Output) (tools.Result, error) {
			t.Error("a denied call was run")
			return tools.Result{}, nil
		}},
		{name: "long", run: func(_ context.Context, _ json.RawMessage, out *tools.Output) (tools.Result, error) {
			_, err := out.Write([]byte(strings.Repeat("line\n", 5000)))
			return tools.Result{}, err
		}},
	}, more...)
	var entries []tools.Entry
	for _, tool := range list {
		entries = append(entries, tools.Entry{Tool: tool})
	}
	set, err := tools.NewSet(entries, tools.SetOptions{Guard: guard{}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// guard denies the tool called secret, and asks about long.
type guard struct{ asks bool }

func (guard) Offered(string) bool { return true }
func (g guard) Decide(_ context.Context, tool string, _ json.RawMessage) tools.Decision {
	if tool == "long" && g.asks {
		return tools.Decision{Verdict: tools.Ask, Rule: "long: ask"}
	}
	if tool == "secret" {
		return tools.Decision{Verdict: tools.Deny, Rule: "secret: deny", Reason: "no secrets"}
	}
	return tools.Decision{Verdict: tools.Allow, Rule: "*: allow"}
}

// A log keeps what hooks were told.
type log struct {
	events []Event
}

func (l *log) hooks() Hooks {
	return Hooks{
		Observe: func(e Event) { l.events = append(l.events, e) },
		Price: func(_ string, u providers.Usage) (float64, bool) {
			return float64(u.Total()) / 1000, true
		},
	}
}

func (l *log) types() string {
	var list []string
	for _, e := range l.events {
		list = append(list, string(e.Type))
	}
	return strings.Join(list, " ")
}

func schema(t testing.TB, source string) Output {
	t.Helper()
	s, err := tools.CompileSchema(json.RawMessage(source))
	if err != nil {
		t.Fatal(err)
	}
	return Output{Kind: OutputSchema, Schema: s, Source: json.RawMessage(source)}
}

const scoreSchema = `{"type":"object","properties":{"score":{"type":"integer","maximum":5}},"required":["score"]}`

// lastSaid is the last message of a request, as text.
func lastSaid(req providers.Request) string {
	m := req.Messages[len(req.Messages)-1]
	var b strings.Builder
	b.WriteString(m.Text())
	for _, block := range m.Blocks {
		if block.Type == providers.BlockToolResult {
			fmt.Fprintf(&b, "%s=%s;", block.Name, block.Content)
		}
	}
	return b.String()
}
