package google_test

import (
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/google"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

// FuzzConversation makes up conversations as other providers, and worse, leave
// them: the service takes whatever is made of them.
func FuzzConversation(f *testing.F) {
	for seed := range uint64(100) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		transport := &providertest.Transport{Stream: `data: {"candidates":[{"finishReason":"STOP"}]}` + "\n\n"}
		m := google.New(google.Options{Endpoint: providers.Endpoint{
			Provider: "own", Model: "gemini-3-pro-preview", APIKey: "k", HTTPClient: &http.Client{Transport: transport},
		}})
		messages := providertest.MadeUp(rand.New(rand.NewPCG(seed, 0)), `{"thought":true}`, `{"thoughtSignature":"S"}`)
		transport.Accepted(t, new(providertest.Google), m, providers.Request{Messages: messages})
	})
}
