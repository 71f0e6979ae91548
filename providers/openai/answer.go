package openai

import (
	"encoding/json"
	"strings"

	"github.com/openai/openai-go/v3/responses"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// The types of items that are handled. Items of any other type are what the service runs
// itself.
const (
	itemMessage   = "message"
	itemReasoning = "reasoning"
	itemCall      = "function_call"
)

// An item is one part of a response.
type item = responses.ResponseOutputItemUnion

// An entry is an item of the stream. The first of its blocks has the item as its Raw.
type entry struct {
	answer  *wire.Answer
	text    *wire.Part
	refusal *wire.Part
	thought *wire.Part // reasoning, or what the service ran itself
	call    *wire.Part
	first   *wire.Part
	settled bool
}

// begin starts the block of an item. A message has none before its first text.
func (e *entry) begin(it item) {
	switch it.Type {
	case itemMessage, "":
	case itemCall:
		e.startCall(it)
	default:
		e.start(&e.thought, providers.Block{Type: providers.BlockThinking})
	}
}

func (e *entry) start(part **wire.Part, block providers.Block) *wire.Part {
	if *part == nil {
		*part = e.answer.Start(block)
		if e.first == nil {
			e.first = *part
		}
	}
	return *part
}

func (e *entry) startCall(it item) *wire.Part {
	if e.call != nil {
		return e.call
	}
	return e.start(&e.call, providers.Block{Type: providers.BlockToolCall, ID: it.CallID, Name: it.Name})
}

// add appends to a part, and starts it with its first text.
func (e *entry) add(part **wire.Part, block providers.BlockType, delta string) {
	if delta != "" {
		e.start(part, providers.Block{Type: block}).Append(delta)
	}
}

// settle finishes the item's blocks. The final item overrides the deltas, some of which may
// be missing.
func (e *entry) settle(it item) {
	e.settled = true
	e.begin(it)
	raw := json.RawMessage(it.RawJSON())
	switch it.Type {
	case itemMessage:
		e.settleMessage(it)
	case itemCall:
		e.settleCall(it)
		if e.call.Block.ID != it.CallID {
			raw = nil // its id is not that of the block
		}
	case itemReasoning:
		e.thought.Settle(thought(it.AsReasoning()))
	}
	for _, part := range []*wire.Part{e.text, e.refusal, e.thought, e.call} {
		if part == nil {
			continue
		}
		part.Block.Raw = json.RawMessage(`{}`) // a piece of the item before it
		if part == e.first {
			part.Block.Raw = raw
		}
		part.Finish()
	}
}

func (e *entry) settleMessage(it item) {
	var text, refusal string
	for _, part := range it.AsMessage().Content {
		text, refusal = text+part.Text, refusal+part.Refusal
	}
	if text != "" {
		e.start(&e.text, providers.Block{Type: providers.BlockText}).Settle(text)
	}
	if refusal != "" {
		e.start(&e.refusal, providers.Block{Type: providers.BlockThinking}).Settle(refusal)
	}
}

// settleCall sets the name, the id and the arguments. A call without a unique id keeps the
// one that it got.
func (e *entry) settleCall(it item) {
	e.call.Block.Name = it.Name
	if e.answer.ReserveID(it.CallID) {
		e.call.Block.ID = it.CallID
	}
	e.call.Settle(it.AsFunctionCall().Arguments)
}

// thought returns the text of reasoning: the summaries, or else the content.
func thought(reasoning responses.ResponseReasoningItem) string {
	var b strings.Builder
	for _, part := range reasoning.Summary {
		b.WriteString(part.Text)
	}
	if len(reasoning.Summary) == 0 {
		for _, part := range reasoning.Content {
			b.WriteString(part.Text)
		}
	}
	return b.String()
}
