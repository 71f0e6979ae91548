package anthropic_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/anthropic"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

// FuzzConversation makes up conversations as other providers leave them: the
// service takes whatever is made of them.
func FuzzConversation(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(seed, "claude-sonnet-4-5")
		f.Add(seed, "claude-opus-4-7")
	}
	f.Fuzz(func(t *testing.T, seed uint64, model string) {
		transport := &providertest.Transport{Stream: "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n" +
			"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"a\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n"}
		m := anthropic.New(anthropic.Options{Endpoint: providers.Endpoint{
			Provider: "own", Model: model, BaseURL: "https://api.anthropic.com", APIKey: "k", HTTPClient: &http.Client{Transport: transport},
		}})
		random := rand.New(rand.NewPCG(seed, 0))
		req := providers.Request{Tools: []providers.ToolSpec{{Name: "read"}}, NoTools: random.IntN(4) == 0}
		req.Messages = providertest.MadeUp(random, `{"type":"thinking","thinking":"hm","signature":"S"}`,
			`{"type":"thinking","thinking":"hm","signature":""}`, `{"type":"redacted_thinking","data":"D"}`)
		if random.IntN(2) == 0 && reasons(m) {
			req.Params.ReasoningEffort = "low"
		}
		transport.Accepted(t, new(providertest.Messages), m, req)
	})
}

// reasons reports whether a model can be told how much to think.
func reasons(m providers.Model) bool {
	_, err := m.Stream(context.Background(), providers.Request{
		Messages: []providers.Message{providers.UserText("Go.")}, Params: providers.Params{ReasoningEffort: "low"},
	}, nil)
	return providers.KindOf(err) != providers.KindConfiguration
}
