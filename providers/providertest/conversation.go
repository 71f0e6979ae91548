package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/providers"
)

func runConversations(t *testing.T, p Provider) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, Provider)
	}{
		{"text", talk},
		{"parallel calls and their results", callInParallel},
		{"ten turns", tenTurns},
		{"a call without arguments", callWithoutArguments},
		{"a call with arguments that are no JSON", callCut},
		{"structured output", structuredAnswer},
		{"a forced tool", forceTool},
		{"no tools", forbidTools},
		{"a tool that is not offered", forceUnknownTool},
		{"a foreign history", continueForeign},
		{"many at once", manyAtOnce},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, p) })
	}
}

// send makes a request that must be answered.
func send(t *testing.T, model providers.Model, req providers.Request) providers.Message {
	t.Helper()
	var events eventLog
	message, err := model.Stream(context.Background(), req, events.add)
	if err != nil {
		t.Fatalf("error %v", err)
	}
	events.check(t, message)
	if message.Role != providers.RoleAssistant || message.Provider != model.Info().Provider || message.Model != model.Info().Ref {
		t.Errorf("message of role %q by %q, model %q", message.Role, message.Provider, message.Model)
	}
	return message
}

// An eventLog records events, to compare them with the message that is returned in the
// end.
type eventLog []providers.Event

func (l *eventLog) add(e providers.Event) { *l = append(*l, e) }

func (l eventLog) check(t *testing.T, message providers.Message) {
	t.Helper()
	if complaint := l.complaint(message); complaint != "" {
		t.Error(complaint)
	}
}

// complaint describes the first difference between the events and the message; it returns
// "" for none.
func (l eventLog) complaint(message providers.Message) string {
	state := map[int]providers.EventType{}
	text := map[int]string{}
	for i, e := range l {
		last, known := state[e.Index]
		if known == (e.Type == providers.BlockStarted) || known && last == providers.BlockFinished {
			return fmt.Sprintf("event %d, of type %d, does not follow on those before it of block %d", i, e.Type, e.Index)
		}
		text[e.Index] += e.Delta
		state[e.Index] = e.Type
		if e.Type == providers.BlockFinished {
			if complaint := compareBlock(e, text[e.Index], message); complaint != "" {
				return complaint
			}
		}
	}
	for index := range message.Blocks {
		if state[index] != providers.BlockFinished {
			return fmt.Sprintf("block %d was never finished", index)
		}
	}
	return ""
}

// compareBlock compares a finished block with the message, and with its deltas.
func compareBlock(e providers.Event, deltas string, message providers.Message) string {
	if e.Index >= len(message.Blocks) {
		return fmt.Sprintf("event of block %d, message of %d", e.Index, len(message.Blocks))
	}
	block := message.Blocks[e.Index]
	if fmt.Sprintf("%+v", e.Block) != fmt.Sprintf("%+v", block) {
		return fmt.Sprintf("block %d finished as %+v, message has %+v", e.Index, e.Block, block)
	}
	whole := block.Text + string(block.Arguments)
	if deltas != whole && (deltas != "" || whole != "{}") {
		return fmt.Sprintf("block %d: deltas %q, whole %q", e.Index, deltas, whole)
	}
	return ""
}

func talk(t *testing.T, p Provider) {
	want := Reply{
		Thinking: "They greet.", Text: " Hällo, wörld: 你好 🙂",
		Usage: providers.Usage{InputTokens: 20, OutputTokens: 9, CachedInputTokens: 4, ReasoningTokens: 3},
	}
	if p.NoDetails {
		want.Usage = providers.Usage{InputTokens: 20, OutputTokens: 9}
	}
	s := newServer(t, p.Dialect(), want)
	message := send(t, p.New(endpoint(s.URL)), providers.Request{
		System: "Be kind.", Messages: []providers.Message{providers.UserText("Hello?")},
	})
	if message.Text() != want.Text || message.Finish != providers.FinishStop || message.Usage != want.Usage {
		t.Errorf("answer %+v", message)
	}
	if len(message.Blocks) != 2 || message.Blocks[0].Type != providers.BlockThinking || message.Blocks[0].Text != want.Thinking {
		t.Errorf("blocks %+v", message.Blocks)
	}
	if asked := s.last(); asked.System != "Be kind." || outline(asked.Messages) != "user: Hello?\n" || asked.Model != "model-1" {
		t.Errorf("asked %+v", asked)
	}
}

// answerCalls answers all calls of a message.
func answerCalls(message providers.Message) providers.Message {
	answer := providers.Message{Role: providers.RoleTool}
	for i, call := range message.Calls() {
		answer.Blocks = append(answer.Blocks, providers.Block{
			Type: providers.BlockToolResult, CallID: call.ID, Name: call.Name,
			Content: fmt.Sprintf("result %d <&>", i), Error: i == 1,
		})
	}
	return answer
}

func callInParallel(t *testing.T, p Provider) {
	calls := []Call{
		{"call_1", "read", `{"path": "a", "n":12345678901234567890}`}, {"call_2", "read", `{"path":"<b>"}`}, {"call_3", "now", "{}"},
	}
	s := newServer(t, p.Dialect(), Reply{Thinking: "Look first.", Text: "Let me look.", Calls: calls}, Reply{Text: "Done."})
	model := p.New(endpoint(s.URL))
	req := providers.Request{Messages: []providers.Message{providers.UserText("Read.")}, Tools: tools()}
	message := send(t, model, req)
	got := message.Calls()
	if message.Finish != providers.FinishToolCalls || len(got) != len(calls) {
		t.Fatalf("finish %q, calls %+v", message.Finish, got)
	}
	for i, call := range calls {
		if got[i].ID != call.ID && !p.NoCallIDs || got[i].Name != call.Name || string(got[i].Arguments) != call.Arguments {
			t.Errorf("call %d: %+v, want %+v", i, got[i], call)
		}
	}
	req.Messages = append(req.Messages, message, answerCalls(message))
	if final := send(t, model, req); final.Text() != "Done." {
		t.Errorf("text %q", final.Text())
	}
	sent := s.last().Messages
	if got, want := outline(sent), outline(aligned(message.Provider, req.Messages, sent)); got != want {
		t.Errorf("sent:\n%s\nwant:\n%s", got, want)
	}
}

func tenTurns(t *testing.T, p Provider) {
	const turns = 10
	var replies []Reply
	for i := range turns {
		replies = append(replies, Reply{Thinking: fmt.Sprintf("Thought %d.", i), Calls: []Call{{fmt.Sprintf("call_%d", i), "now", "{}"}}})
	}
	s := newServer(t, p.Dialect(), append(replies, Reply{Text: "Enough."})...)
	model := p.New(endpoint(s.URL))
	req := providers.Request{Messages: []providers.Message{providers.UserText("Go.")}, Tools: tools()}
	for range turns {
		message := send(t, model, req)
		req.Messages = append(req.Messages, message, answerCalls(message))
	}
	if final := send(t, model, req); final.Text() != "Enough." {
		t.Errorf("text %q", final.Text())
	}
}

func callWithoutArguments(t *testing.T, p Provider) {
	s := newServer(t, p.Dialect(), Reply{Calls: []Call{{"call_1", "now", ""}}})
	message := send(t, p.New(endpoint(s.URL)), providers.Request{
		Messages: []providers.Message{providers.UserText("When?")}, Tools: tools(),
	})
	if calls := message.Calls(); len(calls) != 1 || string(calls[0].Arguments) != "{}" {
		t.Errorf("calls %+v", calls)
	}
}

// callCut lets the model's output end within the arguments of a call. They are kept as
// they came, and the conversation goes on.
func callCut(t *testing.T, p Provider) {
	if p.WholeArguments {
		t.Skip("the format has arguments as an object, which can't be cut")
	}
	const cut = `{"path": "a`
	s := newServer(t, p.Dialect(), Reply{Thinking: "Hm.", Calls: []Call{{"call_1", "read", cut}}}, Reply{Text: "Sorry."})
	model := p.New(endpoint(s.URL))
	req := providers.Request{Messages: []providers.Message{providers.UserText("Read.")}, Tools: tools()}
	message := send(t, model, req)
	calls := message.Calls()
	if len(calls) != 1 || string(calls[0].Arguments) != cut {
		t.Fatalf("calls %+v", calls)
	}
	req.Messages = append(req.Messages, message, answerCalls(message))
	send(t, model, req)
	for _, sent := range s.last().Messages[1].Calls() {
		if !json.Valid(sent.Arguments) || !strings.Contains(string(sent.Arguments), "path") {
			t.Errorf("arguments sent back: %s", sent.Arguments)
		}
	}
}

func structuredAnswer(t *testing.T, p Provider) {
	s := newServer(t, p.Dialect(), Reply{Text: `{"n":1}`})
	message := send(t, p.New(endpoint(s.URL)), providers.Request{
		Messages: []providers.Message{providers.UserText("Count.")}, Tools: tools(),
		Output: &providers.Output{Name: "count", Schema: []byte(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)},
	})
	if message.Text() != `{"n":1}` || !s.last().Schema {
		t.Errorf("text %q, schema asked for: %v", message.Text(), s.last().Schema)
	}
}

func forceTool(t *testing.T, p Provider) {
	s := newServer(t, p.Dialect(), Reply{Calls: []Call{{"call_1", "read", `{"path":"a"}`}}})
	message := send(t, p.New(endpoint(s.URL)), providers.Request{
		Messages: []providers.Message{providers.UserText("Read.")}, Tools: tools(), Force: "read",
	})
	asked := s.last()
	if message.Finish != providers.FinishToolCalls || asked.Choice != "read" && !p.NoChoice {
		t.Errorf("finish %q, choice asked for: %q", message.Finish, asked.Choice)
	}
	if p.NoChoice && (len(asked.Tools) != 1 || !asked.offers("read")) {
		t.Errorf("tools %+v, want the one that is to be called", asked.Tools)
	}
}

func forbidTools(t *testing.T, p Provider) {
	s := newServer(t, p.Dialect(), Reply{Text: "So far."}, Reply{Text: "So far."})
	model := p.New(endpoint(s.URL))
	req := providers.Request{
		Messages: []providers.Message{providers.UserText("Sum up.")}, Tools: tools(), NoTools: true, Force: "read",
	}
	send(t, model, req)
	asked := s.last()
	if p.NoChoice && len(asked.Tools) > 0 || !p.NoChoice && (asked.Choice != "none" || len(asked.Tools) != 2) {
		t.Errorf("choice %q, tools %+v", asked.Choice, asked.Tools)
	}
	req.Tools = nil
	send(t, model, req)
	if asked := s.last(); asked.Choice != "auto" || len(asked.Tools) != 0 {
		t.Errorf("choice %q, tools %+v", asked.Choice, asked.Tools)
	}
}

func forceUnknownTool(t *testing.T, p Provider) {
	s := newServer(t, p.Dialect())
	_, err := p.New(endpoint(s.URL)).Stream(context.Background(), providers.Request{
		Messages: []providers.Message{providers.UserText("Write.")}, Tools: tools(), Force: "write",
	}, nil)
	if providers.KindOf(err) != providers.KindConfiguration {
		t.Errorf("error %v, want one of the configuration", err)
	}
}

// continueForeign goes on with a conversation that another provider began: its texts,
// calls and results are kept, its thoughts and its Raw are not.
func continueForeign(t *testing.T, p Provider) {
	longID := "call_" + strings.Repeat("x", 90)
	foreign := providers.Message{
		Role: providers.RoleAssistant, Provider: "another", Model: "another/model", Finish: providers.FinishToolCalls,
		Blocks: []providers.Block{
			{Type: providers.BlockThinking, Text: "SECRET THOUGHT", Raw: []byte(`{"type":"thinking","signature":"RAW","reasoning_content":"RAW"}`)},
			{Type: providers.BlockText, Text: "Let me see.", Raw: []byte(`{"type":"message","id":"RAW"}`)},
			{Type: providers.BlockToolCall, ID: longID, Name: "read", Arguments: []byte(`{"path":"a"}`), Raw: []byte(`{"type":"function_call","id":"RAW"}`)},
			{Type: providers.BlockToolCall, ID: "toolu_2", Name: "now", Arguments: []byte(`{}`)},
		},
	}
	thoughtOnly := providers.Message{
		Role: providers.RoleAssistant, Provider: "another", Finish: providers.FinishLength,
		Blocks: []providers.Block{{Type: providers.BlockThinking, Text: "SECRET THOUGHT"}},
	}
	// Some formats want the thinking back that came with a call. None may demand it of
	// another provider's call, so the dialect is told to be lenient here.
	dialect := p.Dialect()
	if chat, ok := dialect.(Chat); ok {
		chat.Reasons = false
		dialect = chat
	}
	s := newServer(t, dialect, Reply{Text: "Yes."})
	req := providers.Request{Tools: tools(), Messages: []providers.Message{
		providers.UserText("Read."), foreign, answerCalls(foreign), thoughtOnly, providers.UserText("And?"),
	}}
	send(t, p.New(endpoint(s.URL)), req)
	asked, body := s.last(), s.lastBody()
	if strings.Contains(body, "SECRET THOUGHT") || strings.Contains(body, "RAW") {
		t.Errorf("another provider's thoughts were sent: %s", body)
	}
	sent := asked.Messages[1]
	if sent.Text() != "Let me see." || len(sent.Calls()) != 2 {
		t.Fatalf("foreign answer sent as %+v", sent)
	}
	everywhere := regexp.MustCompile(`^[a-zA-Z0-9]{9}$`) // Mistral takes no other
	for i, call := range sent.Calls() {
		if result := asked.Messages[2].Blocks[i].CallID; call.ID != result || !everywhere.MatchString(call.ID) && !strings.HasPrefix(call.ID, anonymous) {
			t.Errorf("id sent as %q, that of its result as %q", call.ID, result)
		}
	}
}

// manyAtOnce uses one model concurrently.
func manyAtOnce(t *testing.T, p Provider) {
	const senders = 8
	var replies []Reply
	for range senders {
		replies = append(replies, Reply{Text: "Same for all.", Calls: []Call{{"call_1", "now", "{}"}}})
	}
	s := newServer(t, p.Dialect(), replies...)
	model := p.New(endpoint(s.URL))
	errs := make([]error, senders)
	var wg conc.WaitGroup
	for i := range senders {
		wg.Go(func() {
			message, err := model.Stream(context.Background(), providers.Request{
				Messages: []providers.Message{providers.UserText("Go.")}, Tools: tools(),
			}, func(providers.Event) {})
			if err == nil && (message.Text() != "Same for all." || len(message.Calls()) != 1) {
				err = fmt.Errorf("answer %+v", message)
			}
			errs[i] = err
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}
