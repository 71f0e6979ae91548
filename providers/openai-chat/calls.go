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
	byIndex map[int]*call
	last    *call
	count   int
}

// A call is one that is coming in.
type call struct {
	*wire.Part
	id string // as received
}

func (c *calls) add(d callDelta) {
	index := max(c.count-1, 0)
	if d.Index != nil {
		index = *d.Index
	}
	at := c.byIndex[index]
	if at == nil && c.last != nil && c.last.continues(d) {
		at = c.last
	}
	switch {
	case at == nil || at.begins(d):
		at = c.start(d)
	case at.Block.Name == "":
		at.Block.Name = d.Function.Name
	}
	c.byIndex[index] = at
	at.Append(string(d.Function.Arguments))
}

func (c *calls) start(d callDelta) *call {
	block := providers.Block{Type: providers.BlockToolCall, ID: d.ID, Name: d.Function.Name}
	c.last = &call{c.answer.Start(block), d.ID}
	c.count++
	return c.last
}

// begins reports whether d starts another call at the index of this one.
func (c *call) begins(d callDelta) bool {
	if d.ID != "" {
		return d.ID != c.id
	}
	return d.Function.Name != "" && json.Valid(c.Buffer())
}

// continues reports whether d, at an index that is new, belongs to this call, the last: it has no name,
// no id of its own, and the arguments of the call are not complete.
func (c *call) continues(d callDelta) bool {
	return d.Function.Name == "" && (d.ID == "" || d.ID == c.id) && (d.Function.Arguments == "" || !json.Valid(c.Buffer()))
}
