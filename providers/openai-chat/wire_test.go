package openaichat_test

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	openaichat "github.com/a-seed-11b9befa/flow/providers/openai-chat"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

func underTest() providertest.Provider {
	return providertest.Provider{
		Dialect: func() providertest.Dialect { return providertest.Chat{Reasons: true} },
		New: func(e providers.Endpoint) providers.Model {
			return openaichat.New(openaichat.Options{Endpoint: e})
		},
	}
}

func TestConformance(t *testing.T) { providertest.Run(t, underTest()) }
