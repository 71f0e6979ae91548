package azure_test

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/azure"
	"github.com/a-seed-11b9befa/flow/providers/openai"
	openaichat "github.com/a-seed-11b9befa/flow/providers/openai-chat"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

// underTest asks as flow asks a deployment.
func underTest(version string) providertest.Provider {
	return providertest.Provider{
		Dialect: func() providertest.Dialect { return providertest.Chat{} },
		New: func(e providers.Endpoint) providers.Model {
			return openaichat.New(openaichat.Options{
				Native: true, Endpoint: azure.Deployment(e, version, new(azure.Tokens)),
			})
		},
	}
}

func TestConformance(t *testing.T) { providertest.Run(t, underTest("2024-10-21")) }

// TestResponses asks a deployment by the other format, through OpenAI's client.
func TestResponses(t *testing.T) {
	p := providertest.Provider{
		Dialect: func() providertest.Dialect { return new(providertest.Responses) },
		New: func(e providers.Endpoint) providers.Model {
			return openai.New(openai.Options{Endpoint: azure.Deployment(e, "", new(azure.Tokens))})
		},
	}
	providertest.Run(t, p)
}
