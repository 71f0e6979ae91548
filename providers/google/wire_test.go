package google_test

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/google"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

func underTest() providertest.Provider {
	return providertest.Provider{
		API:            "gemini-generate",
		Schema:         func(string) string { return "gemini-generate-request" },
		Dialect:        func() providertest.Dialect { return new(providertest.Google) },
		WholeArguments: true,
		New: func(e providertest.Endpoint) providers.Model {
			return google.New(google.Options{Endpoint: e.Endpoint()})
		},
	}
}

func TestRecordedTraffic(t *testing.T) {
	p := underTest()
	p.Dialect = func() providertest.Dialect { return &providertest.Google{Older: true} } // some of them are
	providertest.Corpus(t, p)
}

func TestConformance(t *testing.T) { providertest.Run(t, underTest()) }

// Models before Gemini 3 give calls no ids, and get none back.
func TestConformanceOfOlderModels(t *testing.T) {
	p := underTest()
	p.NoCallIDs = true
	p.Dialect = func() providertest.Dialect { return &providertest.Google{Older: true} }
	providertest.Run(t, p)
}
