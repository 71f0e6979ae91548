package ollama_test

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/ollama"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

func underTest() providertest.Provider {
	return providertest.Provider{
		Dialect:        func() providertest.Dialect { return providertest.Ollama{} },
		WholeArguments: true,
		NoChoice:       true,
		NoDetails:      true,
		New: func(e providers.Endpoint) providers.Model {
			return ollama.New(ollama.Options{Endpoint: e})
		},
	}
}

func TestConformance(t *testing.T) { providertest.Run(t, underTest()) }

// TestOlderServers is for those that give calls no ids.
func TestOlderServers(t *testing.T) {
	p := underTest()
	p.Dialect = func() providertest.Dialect { return providertest.Ollama{Older: true} }
	p.NoCallIDs = true
	providertest.Run(t, p)
}
