package anthropic_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/anthropic"
	"github.com/a-seed-11b9befa/flow/providers/openai"
	openaichat "github.com/a-seed-11b9befa/flow/providers/openai-chat"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

// strict serves a dialect: each request must be one that the service takes.
func strict(t *testing.T, dialect providertest.Dialect, replies ...providertest.Reply) string {
	t.Helper()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var asked providertest.Asked
		if err == nil {
			asked, err = dialect.Read(body)
		}
		if err == nil {
			err = providertest.CheckPairs(asked.Messages)
		}
		if err != nil || len(replies) == 0 {
			t.Errorf("refused: %v in %s", err, body)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		dialect.Write(w, replies[0])
		replies = replies[1:]
	}))
	t.Cleanup(service.Close)
	return service.URL
}

// TestMoving begins a conversation on one provider, goes on with it on another,
// and comes back: nothing is refused, and every word and result stays.
func TestMoving(t *testing.T) {
	at := func(name, url string) providers.Endpoint {
		return providers.Endpoint{Ref: name + "/m", Provider: name, Model: "claude-sonnet-4-5", BaseURL: url}
	}
	const turns = 5
	formats := map[string]func(url string) providers.Model{
		"chat":      func(url string) providers.Model { return openaichat.New(openaichat.Options{Endpoint: at("chat", url)}) },
		"responses": func(url string) providers.Model { return openai.New(openai.Options{Endpoint: at("responses", url)}) },
		"messages": func(url string) providers.Model {
			return anthropic.New(anthropic.Options{Endpoint: at("messages", url)})
		},
	}
	dialects := map[string]func() providertest.Dialect{
		"chat":      func() providertest.Dialect { return providertest.Chat{} },
		"responses": func() providertest.Dialect { return new(providertest.Responses) },
		"messages":  func() providertest.Dialect { return new(providertest.Messages) },
	}
	for _, other := range []string{"chat", "responses"} {
		for _, route := range [][]string{{other, "messages", other}, {"messages", other, "messages"}} {
			t.Run(fmt.Sprint(route), func(t *testing.T) {
				models := map[string]providers.Model{}
				for _, name := range route {
					if models[name] == nil {
						models[name] = formats[name](strict(t, dialects[name](), repliesOf(name, 2*turns)...))
					}
				}
				converse(t, models, route, turns)
			})
		}
	}
}

// repliesOf are replies with two calls each. Those of another format have ids that
// do not fit.
func repliesOf(name string, n int) []providertest.Reply {
	var replies []providertest.Reply
	for turn := range n {
		first, second := fmt.Sprintf("%s:%d", name, turn), fmt.Sprintf("call_%d", turn)
		if name == "messages" {
			first, second = fmt.Sprintf("toolu_%d", turn), fmt.Sprintf("toolu_%d_2", turn)
		}
		replies = append(replies, providertest.Reply{
			Thinking: "So.", Text: fmt.Sprintf("%s %d.", name, turn),
			Calls: []providertest.Call{{ID: first, Name: "now", Arguments: `{}`}, {ID: second, Name: "now", Arguments: `{"a":1}`}},
		})
	}
	return replies
}

// converse has each model of a route answer for some turns.
func converse(t *testing.T, models map[string]providers.Model, route []string, turns int) {
	req := providers.Request{
		Messages: []providers.Message{providers.UserText("Go.")}, Tools: []providers.ToolSpec{{Name: "now"}},
		Params: providers.Params{ReasoningEffort: "low"},
	}
	for _, name := range route {
		for range turns {
			message, err := models[name].Stream(context.Background(), req, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			results := providers.Message{Role: providers.RoleTool}
			for _, call := range message.Calls() {
				results.Blocks = append(results.Blocks, providers.Block{Type: providers.BlockToolResult, CallID: call.ID, Name: call.Name, Content: "noon"})
			}
			req.Messages = append(req.Messages, message, results)
		}
	}
}

// FuzzConversation makes up conversations as other providers leave them: the
// service takes whatever is made of them.
func FuzzConversation(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(seed, "claude-sonnet-4-5")
		f.Add(seed, "claude-opus-4-7")
	}
	f.Fuzz(func(t *testing.T, seed uint64, model string) {
		dialect := new(providertest.Messages)
		transport := &providertest.Transport{Stream: "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n" +
			"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"a\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n"}
		m := anthropic.New(anthropic.Options{Endpoint: providers.Endpoint{
			Provider: "own", Model: model, BaseURL: "https://api.anthropic.com", APIKey: "k", HTTPClient: &http.Client{Transport: transport},
		}})
		random := rand.New(rand.NewPCG(seed, 0))
		req := providers.Request{Messages: madeUp(random), Tools: []providers.ToolSpec{{Name: "read"}}, NoTools: random.IntN(4) == 0}
		if random.IntN(2) == 0 {
			req.Params.ReasoningEffort = "low"
		}
		if _, err := m.Stream(context.Background(), req, nil); err != nil {
			if providers.KindOf(err) == providers.KindConfiguration {
				return // the model does not reason
			}
			t.Fatal(err)
		}
		asked, err := dialect.Read(transport.Body)
		if err == nil {
			err = providertest.CheckPairs(asked.Messages)
		}
		if err != nil {
			t.Errorf("refused: %v in %s", err, transport.Body)
		}
	})
}

// madeUp is a conversation in which every call is answered, and little else is
// as it should be.
func madeUp(random *rand.Rand) []providers.Message {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	messages := []providers.Message{providers.UserText("Go.")}
	for range random.IntN(8) {
		said := providers.Message{Role: providers.RoleAssistant, Provider: pick("own", "another", "script")}
		results := providers.Message{Role: providers.RoleTool}
		for range random.IntN(5) {
			switch random.IntN(4) {
			case 0:
				said.Blocks = append(said.Blocks, providers.Block{Type: providers.BlockText, Text: pick("", " \n", "Words.", "\xff<&>")})
			case 1:
				said.Blocks = append(said.Blocks, providers.Block{Type: providers.BlockThinking, Text: "hm", Raw: []byte(pick("", "{}", "nonsense",
					`{"type":"thinking","thinking":"hm","signature":"S"}`, `{"type":"thinking","thinking":"hm","signature":""}`, `{"type":"redacted_thinking","data":"D"}`))})
			default:
				id := pick("call_0", "functions.read:0", "ä", "toolu_1") + fmt.Sprint(len(said.Blocks))
				said.Blocks = append(said.Blocks, providers.Block{Type: providers.BlockToolCall, ID: id, Name: "read", Arguments: []byte(pick("", "{}", `{"a`, "[]", "7", `{"a": 1}`))})
				results.Blocks = append(results.Blocks, providers.Block{Type: providers.BlockToolResult, CallID: id, Content: pick("", "r", " "), Error: random.IntN(2) == 0})
			}
		}
		messages = append(messages, said)
		if len(results.Blocks) > 0 {
			messages = append(messages, results)
		}
		if len(results.Blocks) == 0 || random.IntN(3) == 0 {
			messages = append(messages, providers.UserText(pick("Go on.", "And?")))
		}
	}
	return messages
}
