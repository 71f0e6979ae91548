package providers

import (
	"bytes"
	"slices"
	"sync"
)

// A ToolMemo is what a model keeps of the tools that it was last offered, so that
// those that all conversations of a step offer are translated once, to a T. The zero
// ToolMemo is empty. It is safe for concurrent use.
type ToolMemo[T any] struct {
	mu    sync.Mutex
	tools []ToolSpec // nil before the first
	wire  T
}

// Of returns what translate makes of tools, of which there is one at least, or what
// it made of the same tools before. The result is read-only.
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
