package openaichat_test

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

func TestStorm(t *testing.T) {
	p := underTest()
	p.Dialect = func() providertest.Dialect { return providertest.Chat{} }
	providertest.Storm(t, p)
}
