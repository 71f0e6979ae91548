package openaichat_test

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	openaichat "github.com/a-seed-11b9befa/flow/providers/openai-chat"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

func underTest() providertest.Provider {
	return providertest.Provider{
		API: "openai-chat",
		Schema: func(provider string) string {
			if provider == "openrouter" {
				return "openrouter-chat-request"
			}
			return "openai-chat-request"
		},
		Dialect: func() providertest.Dialect { return providertest.Chat{Reasons: true} },
		New: func(e providers.Endpoint) providers.Model {
			return openaichat.New(openaichat.Options{Endpoint: e})
		},
	}
}

func TestRecordedTraffic(t *testing.T) {
	p := underTest()
	p.Dialect = func() providertest.Dialect { return providertest.Chat{} }
	providertest.Corpus(t, p)
}

func TestConformance(t *testing.T) { providertest.Run(t, underTest()) }

func BenchmarkRequest(b *testing.B) { providertest.BenchmarkRequest(b, underTest()) }
