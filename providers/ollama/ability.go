package ollama

import "github.com/a-seed-11b9befa/flow/providers"

// Info describes the model and what it can do.
func (m *Model) Info() providers.Info {
	return providers.Info{Ref: m.at.Ref, Provider: m.at.Provider, StructuredAlone: true}
}
