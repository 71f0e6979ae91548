package providers

import (
	"bytes"
	"slices"
	"sync"
)

// A ToolMemo caches the translation to T of the tools in the last request: all
// conversations of a step offer the same ones. The zero ToolMemo is empty. It is safe for
// concurrent use.
type ToolMemo[T any] struct {
	mu    sync.Mutex
	tools []ToolSpec // nil before the first
	wire  T
}

// Of returns the translation of tools, of which there must be one at least. The result is
// read-only.
func (m *ToolMemo[T]) Of(tools []ToolSpec, translate func([]ToolSpec) T) T {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tools == nil || !slices.EqualFunc(m.tools, tools, ToolSpec.equal) {
		m.tools, m.wire = slices.Clone(tools), translate(tools)
	}
	return m.wire
}

func (t ToolSpec) equal(u ToolSpec) bool {
	return t.Name == u.Name && t.Description == u.Description && bytes.Equal(t.Parameters, u.Parameters)
}
