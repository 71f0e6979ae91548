package azure_test

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/azure"
	openaichat "github.com/a-seed-11b9befa/flow/providers/openai-chat"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

// underTest asks as flow asks a deployment.
func underTest(version string) providertest.Provider {
	return providertest.Provider{
		API:     "openai-chat",
		Schema:  func(string) string { return "openai-chat-request" },
		Dialect: func() providertest.Dialect { return providertest.Chat{} },
		New: func(e providers.Endpoint) providers.Model {
			return openaichat.New(openaichat.Options{
				Native: true, Endpoint: azure.Deployment(e, version, new(azure.Tokens)),
			})
		},
	}
}

func TestConformance(t *testing.T) { providertest.Run(t, underTest("2024-10-21")) }

func TestRecordedTraffic(t *testing.T) { providertest.Corpus(t, underTest("")) }
