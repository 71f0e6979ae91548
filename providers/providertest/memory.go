package providertest

import (
	"maps"
	"slices"
	"sync"
)

// A memory is what a dialect has sent, and wants back as it was: texts by a key, such
// as a signature or an id, and the keys of what stood before a call, by its id. Of the
// empty memory nothing is wanted. It is safe for concurrent use.
type memory struct {
	mu     sync.Mutex
	sent   map[string]string
	behind map[string]string
	given  int
}

// next is a number that was not given before.
func (m *memory) next() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.given++
	return m.given
}

func (m *memory) keep(key, text string, behind []Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sent == nil {
		m.sent, m.behind = map[string]string{}, map[string]string{}
	}
	m.sent[key] = text
	for _, call := range behind {
		m.behind[call.ID] = key
	}
}

func (m *memory) text(key string) (text string, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, known = m.sent[key]
	return text, known
}

// before is the key of what stood before a call.
func (m *memory) before(id string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.behind[id]
}

func (m *memory) empty() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.sent) == 0
}

// holds reports whether a text was sent, under whatever key.
func (m *memory) holds(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Contains(slices.Collect(maps.Values(m.sent)), text)
}
