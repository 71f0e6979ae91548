package anthropic_test

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/anthropic"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

func underTest() providertest.Provider {
	return providertest.Provider{
		Dialect: func() providertest.Dialect { return new(providertest.Messages) },
		New: func(e providers.Endpoint) providers.Model {
			return anthropic.New(anthropic.Options{Endpoint: e})
		},
	}
}

func TestConformance(t *testing.T) { providertest.Run(t, underTest()) }
