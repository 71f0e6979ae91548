package wire

import (
	"bytes"
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
)

// An Answer is put together from what comes in, block by block, and tells each
// piece of it as an event. Blocks keep the order in which they were started.
type Answer struct {
	emit  func(providers.Event)
	parts []*Part
}

// NewAnswer returns an answer that tells its events to emit, which may be nil.
func NewAnswer(emit func(providers.Event)) *Answer {
	if emit == nil {
		emit = func(providers.Event) {}
	}
	return &Answer{emit: emit}
}

// Start begins a block of which the type is known, and its id and name as far
// as they are.
func (a *Answer) Start(block providers.Block) *Part {
	p := &Part{answer: a, index: len(a.parts), Block: block}
	a.parts = append(a.parts, p)
	a.emit(providers.Event{Type: providers.BlockStarted, Index: p.index, Block: block})
	return p
}

// Finish ends every block that is still open and returns them all.
func (a *Answer) Finish() []providers.Block {
	for _, p := range a.parts {
		p.Finish()
	}
	return a.Partial()
}

// Partial returns what has come until now, and tells nothing.
func (a *Answer) Partial() []providers.Block {
	var blocks []providers.Block
	for _, p := range a.parts {
		blocks = append(blocks, p.whole())
	}
	return blocks
}

// A Part is one block of an [Answer]. Its Block may be changed until it is
// finished, but for the text and the arguments: those are appended.
type Part struct {
	Block providers.Block

	answer   *Answer
	index    int
	buffer   []byte
	finished bool
}

// Append adds to the block's text, or to a call's arguments.
func (p *Part) Append(delta string) {
	if delta == "" || p.finished {
		return
	}
	p.buffer = append(p.buffer, delta...)
	p.answer.emit(providers.Event{Type: providers.BlockDelta, Index: p.index, Delta: delta})
}

// Settle makes text the whole of what was to be appended, for services that
// tell it once more at the end. What had not come yet is told as a delta.
func (p *Part) Settle(text string) {
	if len(text) > len(p.buffer) && text[:len(p.buffer)] == string(p.buffer) {
		p.Append(text[len(p.buffer):])
		return
	}
	if !p.finished {
		p.buffer = append(p.buffer[:0], text...)
	}
}

// Buffer returns what was appended. It is read-only, and valid until more is.
func (p *Part) Buffer() []byte { return p.buffer }

// Finish ends the block. Ending it twice does nothing.
func (p *Part) Finish() {
	if p.finished {
		return
	}
	p.finished = true
	p.answer.emit(providers.Event{Type: providers.BlockFinished, Index: p.index, Block: p.whole()})
}

func (p *Part) whole() providers.Block {
	block := p.Block
	if block.Type == providers.BlockToolCall {
		block.Arguments = Arguments(p.buffer)
	} else {
		block.Text = string(p.buffer)
	}
	return block
}

// Arguments returns a call's arguments as they came, but {} for the ways in
// which services write that there are none. What was cut stays cut.
func Arguments(wire []byte) json.RawMessage {
	switch string(bytes.TrimSpace(wire)) {
	case "", "null", `""`, `"null"`:
		return json.RawMessage("{}")
	}
	return json.RawMessage(bytes.Clone(wire))
}

// ArgumentsText returns a call's arguments for a request. Those that are no
// JSON, because they were cut, go as {"invalid_json": "…"}: nothing of them is
// lost, and no service refuses the conversation for them.
func ArgumentsText(call providers.Block) string {
	if json.Valid(call.Arguments) {
		return string(call.Arguments)
	}
	if len(bytes.TrimSpace(call.Arguments)) == 0 {
		return "{}"
	}
	return string(JSON(map[string]string{"invalid_json": string(call.Arguments)}))
}

// JSON writes what can always be written: texts, JSON, and maps and lists of
// them. Signs of HTML stay as they are.
func JSON(value any) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
