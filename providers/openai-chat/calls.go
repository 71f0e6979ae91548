package openaichat

import (
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// calls puts the tool calls of an answer together. Deltas are told apart by
// their index, which may have gaps; services that send whole calls may give all
// of them the same index, or none.
type calls struct {
	answer  *wire.Answer
	byIndex map[int]*wire.Part
	wireIDs map[*wire.Part]string // as they came
	order   []*wire.Part
}

func newCalls(answer *wire.Answer) calls {
	return calls{answer: answer, byIndex: map[int]*wire.Part{}, wireIDs: map[*wire.Part]string{}}
}

func (c *calls) add(d callDelta) {
	index := max(len(c.order)-1, 0)
	if d.Index != nil {
		index = *d.Index
	}
	part := c.byIndex[index]
	if part == nil || c.begins(part, d) {
		part = c.start(d)
		c.byIndex[index] = part
	} else if part.Block.Name == "" {
		part.Block.Name = d.Function.Name
	}
	part.Append(string(d.Function.Arguments))
}

// begins reports whether d is another call than part, at the same index.
func (c *calls) begins(part *wire.Part, d callDelta) bool {
	if d.ID != "" {
		return d.ID != c.wireIDs[part]
	}
	return d.Function.Name != "" && json.Valid(part.Buffer())
}

func (c *calls) start(d callDelta) *wire.Part {
	part := c.answer.Start(providers.Block{Type: providers.BlockToolCall, ID: d.ID, Name: d.Function.Name})
	c.order = append(c.order, part)
	c.wireIDs[part] = d.ID
	return part
}

func (c *calls) nameless() bool {
	for _, part := range c.order {
		if part.Block.Name == "" {
			return true
		}
	}
	return false
}
