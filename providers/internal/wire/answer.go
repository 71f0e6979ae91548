package wire

import (
	"bytes"
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

// An Answer is put together from what comes in, block by block, and emits each
// piece of it as an event. Blocks keep the order in which they were started.
// What is beyond its bounds is dropped; see [Answer.Err].
type Answer struct {
	emit     func(providers.Event)
	parts    []*Part
	text     int // bytes of all texts
	thinking int
	calls    map[string]bool // the ids of the calls until now
	err      error
}

// NewAnswer returns an answer that passes its events to emit, which may be nil.
func NewAnswer(emit func(providers.Event)) *Answer {
	if emit == nil {
		emit = func(providers.Event) {}
	}
	return &Answer{emit: emit, calls: map[string]bool{}}
}

// Start begins a block of which the type is known, and its id and name as far
// as they are. A call without an id of its own gets one.
func (a *Answer) Start(block providers.Block) *Part {
	if block.Type == providers.BlockToolCall && !a.Take(block.ID) {
		block.ID = newCallID()
		a.Take(block.ID)
	}
	p := &Part{answer: a, index: len(a.parts), Block: block}
	if !a.Holds(len(a.parts) + 1) {
		p.finished = true
		return p
	}
	a.parts = append(a.parts, p)
	a.emit(providers.Event{Type: providers.BlockStarted, Index: p.index, Block: block})
	return p
}

// Take makes an id that of a call of the answer, and reports whether it can be:
// it is empty for none, and another call's for no second one.
func (a *Answer) Take(id string) bool {
	if id == "" || a.calls[id] {
		return false
	}
	a.calls[id] = true
	return true
}

// Called reports whether the answer has a call.
func (a *Answer) Called() bool { return len(a.calls) > 0 }

// AppendTo appends to a block that is started with its first text.
func (a *Answer) AppendTo(part **Part, block providers.BlockType, text string) {
	if text == "" {
		return
	}
	if *part == nil {
		*part = a.Start(providers.Block{Type: block})
	}
	(*part).Append(text)
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

// Partial returns what has come until now, and emits nothing. Of an answer that
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
		block.Arguments = arguments(p.buffer)
	} else {
		block.Text = string(p.buffer)
	}
	return block
}
