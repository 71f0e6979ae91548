package google_test

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
	"github.com/a-seed-11b9befa/flow/providers/google"
	"github.com/a-seed-11b9befa/flow/providers/ollama"
	"github.com/a-seed-11b9befa/flow/providers/openai"
	openaichat "github.com/a-seed-11b9befa/flow/providers/openai-chat"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

// A format is a provider with a strict service of its own.
type format struct {
	name    string
	dialect providertest.Dialect
	model   func(providers.Endpoint) providers.Model
}

func formats() []format {
	return []format{
		{"chat", providertest.Chat{}, func(e providers.Endpoint) providers.Model { return openaichat.New(openaichat.Options{Endpoint: e}) }},
		{"responses", new(providertest.Responses), func(e providers.Endpoint) providers.Model { return openai.New(openai.Options{Endpoint: e}) }},
		{"messages", new(providertest.Messages), func(e providers.Endpoint) providers.Model { return anthropic.New(anthropic.Options{Endpoint: e}) }},
		{"ollama", providertest.Ollama{}, func(e providers.Endpoint) providers.Model { return ollama.New(ollama.Options{Endpoint: e}) }},
		{"gemini", new(providertest.Google), func(e providers.Endpoint) providers.Model { return google.New(google.Options{Endpoint: e}) }},
	}
}

// serve returns the format's model at a service that refuses what it can't take.
func (f format) serve(t *testing.T) providers.Model {
	t.Helper()
	turn := 0
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var asked providertest.Asked
		if err == nil {
			asked, err = f.dialect.Read(body)
		}
		if err == nil {
			err = providertest.CheckPairs(asked.Messages)
		}
		if err != nil {
			t.Errorf("%s refuses: %v in %s", f.name, err, body)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		turn++
		providertest.Answer(w, f.dialect, providertest.Reply{Thinking: "So.", Text: fmt.Sprintf("%s %d.", f.name, turn), Calls: []providertest.Call{
			{ID: fmt.Sprintf("toolu_%s_%d", f.name, turn), Name: "now", Arguments: `{}`}, {ID: fmt.Sprintf("toolu_%s_%d_2", f.name, turn), Name: "now", Arguments: `{"a":1}`},
		}})
	}))
	t.Cleanup(service.Close)
	return f.model(providers.Endpoint{Ref: f.name + "/m", Provider: f.name, Model: "gemini-3-pro-preview", BaseURL: service.URL, APIKey: "a-key-of-none"})
}

// TestMoving begins a conversation on Gemini or on another provider, goes on with
// it on the other, and comes back: nothing is refused.
func TestMoving(t *testing.T) {
	const turns = 5
	for _, other := range formats()[:4] {
		for _, first := range []string{other.name, "gemini"} {
			t.Run(other.name+" from "+first, func(t *testing.T) {
				pair := []providers.Model{other.serve(t), formats()[4].serve(t)}
				if first == "gemini" {
					pair[0], pair[1] = pair[1], pair[0]
				}
				req := providers.Request{Messages: []providers.Message{providers.UserText("Go.")}, Tools: []providers.ToolSpec{{Name: "now"}}}
				for i := range 3 * turns {
					message, err := pair[i/turns%2].Stream(context.Background(), req, nil)
					if err != nil {
						t.Fatal(err)
					}
					req.Messages = append(req.Messages, message, resultsOf(message))
				}
			})
		}
	}
}

func resultsOf(message providers.Message) providers.Message {
	results := providers.Message{Role: providers.RoleTool}
	for _, call := range message.Calls() {
		results.Blocks = append(results.Blocks, providers.Block{Type: providers.BlockToolResult, CallID: call.ID, Name: call.Name, Content: "noon"})
	}
	return results
}

// FuzzConversation makes up conversations as other providers, and worse, leave
// them: the service takes whatever is made of them.
func FuzzConversation(f *testing.F) {
	for seed := range uint64(100) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		dialect := new(providertest.Google)
		transport := &providertest.Transport{Stream: `data: {"candidates":[{"finishReason":"STOP"}]}` + "\n\n"}
		m := google.New(google.Options{Endpoint: providers.Endpoint{
			Provider: "own", Model: "gemini-3-pro-preview", APIKey: "k", HTTPClient: &http.Client{Transport: transport},
		}})
		messages := madeUp(rand.New(rand.NewPCG(seed, 0)))
		if _, err := m.Stream(context.Background(), providers.Request{Messages: messages}, nil); err != nil {
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
		for range random.IntN(5) {
			block := providers.Block{Type: providers.BlockToolCall, ID: pick("functions.read:", "ä ", "toolu_") + fmt.Sprint(len(said.Blocks)), Name: "read"}
			switch random.IntN(4) {
			case 0:
				block = providers.Block{Type: providers.BlockText, Text: pick("", " \n", "Words.", "\xff<&>")}
			case 1:
				block = providers.Block{Type: providers.BlockThinking, Text: "hm"}
			default:
				block.Arguments = []byte(pick("", "{}", `{"a`, "[]", "7", `{"a": 1}`))
			}
			block.Raw = []byte(pick("", "{}", "[]", "null", "nonsense", `{"type":"message"}`, `{"thought":true}`, `{"thoughtSignature":"S"}`))
			said.Blocks = append(said.Blocks, block)
		}
		messages = append(messages, said)
		if len(said.Calls()) > 0 {
			messages = append(messages, resultsOf(said))
		}
		if len(said.Calls()) == 0 || random.IntN(3) == 0 {
			messages = append(messages, providers.UserText(pick("Go on.", "And?")))
		}
	}
	return messages
}
