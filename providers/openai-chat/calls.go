package openaichat

import (
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// calls assembles the tool calls of an answer. Deltas belong to a call by their index, which
// may have gaps; services that send complete calls may give all the same index, or none. Others
// continue a call under another index than it began with.
type calls struct {
	answer  *wire.Answer
	byIndex map[int]*wire.Part
	wireIDs map[*wire.Part]string // as received
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
	if part == nil && len(c.order) > 0 && c.continues(c.order[len(c.order)-1], d) {
		part = c.order[len(c.order)-1]
		c.byIndex[index] = part
	}
	if part == nil || c.begins(part, d) {
		part = c.start(d)
		c.byIndex[index] = part
	} else if part.Block.Name == "" {
		part.Block.Name = d.Function.Name
	}
	part.Append(string(d.Function.Arguments))
}

// begins reports whether d starts another call at the index of part.
func (c *calls) begins(part *wire.Part, d callDelta) bool {
	if d.ID != "" {
		return d.ID != c.wireIDs[part]
	}
	return d.Function.Name != "" && json.Valid(part.Buffer())
}

// continues reports whether d, at an index that is new, belongs to the last call: it has no name,
// no id of its own, and the arguments of that call are not complete.
func (c *calls) continues(last *wire.Part, d callDelta) bool {
	return d.Function.Name == "" && (d.ID == "" || d.ID == c.wireIDs[last]) && (d.Function.Arguments == "" || !json.Valid(last.Buffer()))
}

func (c *calls) start(d callDelta) *wire.Part {
	part := c.answer.Start(providers.Block{Type: providers.BlockToolCall, ID: d.ID, Name: d.Function.Name})
	c.order = append(c.order, part)
	c.wireIDs[part] = d.ID
	return part
}
