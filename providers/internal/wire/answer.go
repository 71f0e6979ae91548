package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// The bounds of one answer: its text, its thinking, and the arguments of each
// call in bytes, and all of its blocks. No model comes near them.
const (
	maxText   = 8 << 20
	maxBlocks = 10_000
)

// maxExcerpt is how much, in bytes, is left of an answer that was too long.
const maxExcerpt = 64 << 10

// An Answer is put together from what comes in, block by block, and tells each
// piece of it as an event. Blocks keep the order in which they were started.
// What is beyond its bounds is dropped; see [Answer.Err].
type Answer struct {
	emit     func(providers.Event)
	parts    []*Part
	text     int // bytes of all texts
	thinking int
	err      error
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
	if !a.Holds(len(a.parts) + 1) {
		p.finished = true
		return p
	}
	a.parts = append(a.parts, p)
	a.emit(providers.Event{Type: providers.BlockStarted, Index: p.index, Block: block})
	return p
}

// Holds reports whether an answer may have so many blocks, or other pieces that
// are kept one by one. When it may not, [Answer.Err] says so from then on.
func (a *Answer) Holds(blocks int) bool {
	if blocks > maxBlocks {
		a.err = fmt.Errorf("%w: more than %d blocks", errTooMuch, maxBlocks)
	}
	return blocks <= maxBlocks
}

// Err returns what was too much for an answer, or nil.
func (a *Answer) Err() error { return a.err }

// Broken returns err, with which the stream broke off, and remembers one that
// says that the answer is too long.
func (a *Answer) Broken(err error) error {
	if errors.Is(err, errTooMuch) {
		a.err = err
	}
	return err
}

// Finish ends every block that is still open and returns them all.
func (a *Answer) Finish() []providers.Block {
	var blocks []providers.Block
	for _, p := range a.parts {
		p.Finish()
		blocks = append(blocks, p.Block)
	}
	return blocks
}

// Partial returns what has come until now, and tells nothing. Of an answer that
// was too long it is the beginning.
func (a *Answer) Partial() []providers.Block {
	var blocks []providers.Block
	room := maxExcerpt
	for _, p := range a.parts {
		block := p.whole()
		if a.err != nil {
			if room <= 0 {
				break
			}
			block = excerpt(block, room)
			room -= len(block.Text) + len(block.Arguments)
		}
		blocks = append(blocks, block)
	}
	return blocks
}

// excerpt copies the first bytes of a block's text, and nothing of what its
// provider would need back.
func excerpt(block providers.Block, most int) providers.Block {
	block.Text = strings.ToValidUTF8(strings.Clone(block.Text[:min(len(block.Text), most)]), "")
	block.Arguments = bytes.Clone(block.Arguments[:min(len(block.Arguments), most)])
	block.Raw = nil
	return block
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
	if delta == "" || p.finished || !p.grow(len(delta)) {
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
	if !p.finished && p.grow(len(text)-len(p.buffer)) {
		p.buffer = append(p.buffer[:0], text...)
	}
}

// grow counts n more bytes, and reports whether they are within the bounds.
func (p *Part) grow(n int) bool {
	a, size := p.answer, len(p.buffer)
	total := &size
	what := "arguments of one call"
	switch p.Block.Type {
	case providers.BlockText:
		total, what = &a.text, "text"
	case providers.BlockThinking:
		total, what = &a.thinking, "thinking"
	}
	if *total+n > maxText {
		a.err = fmt.Errorf("%w: more than %d MiB of %s", errTooMuch, maxText>>20, what)
		return false
	}
	*total += n
	return true
}

// Buffer returns what was appended, until the block is finished. It is
// read-only, and valid until more is.
func (p *Part) Buffer() []byte { return p.buffer }

// Finish ends the block. Ending it twice does nothing.
func (p *Part) Finish() {
	if p.finished {
		return
	}
	p.Block = p.whole()
	p.finished, p.buffer = true, nil
	p.answer.emit(providers.Event{Type: providers.BlockFinished, Index: p.index, Block: p.Block})
}

func (p *Part) whole() providers.Block {
	block := p.Block
	if p.finished {
		return block
	}
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
