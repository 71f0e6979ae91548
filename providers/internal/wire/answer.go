package wire

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// The limits of one answer. No model comes near them.
const (
	maxText    = 16 << 20 // bytes of its texts and arguments
	maxBlocks  = 10_000
	maxExcerpt = 64 << 10 // bytes that are kept of an answer that is too long
)

// An Answer collects the blocks of an answer, and emits each piece of it as an event.
// Blocks keep the order in which they were started. What exceeds its limits is dropped;
// see [Answer.Err].
type Answer struct {
	emit  func(providers.Event)
	parts []*Part
	size  int             // bytes of all texts and arguments
	calls map[string]bool // the ids of the calls so far
	err   error
}

// NewAnswer returns an answer that passes its events to emit, which may be nil.
func NewAnswer(emit func(providers.Event)) *Answer {
	if emit == nil {
		emit = func(providers.Event) {}
	}
	return &Answer{emit: emit, calls: map[string]bool{}}
}

// Start starts a block of a known type, with its id and name if they are known. A call
// without a unique id gets one.
func (a *Answer) Start(block providers.Block) *Part {
	if block.Type == providers.BlockToolCall && !a.ReserveID(block.ID) {
		block.ID = newCallID()
		a.ReserveID(block.ID)
	}
	p := &Part{answer: a, index: len(a.parts), Block: block}
	if len(a.parts) == maxBlocks {
		a.err = fmt.Errorf("%w: more than %d blocks", errTooMuch, maxBlocks)
		p.finished = true
		return p
	}
	a.parts = append(a.parts, p)
	a.emit(providers.Event{Type: providers.BlockStarted, Index: p.index, Block: block})
	return p
}

// Add adds a block that has come as a whole, with its text or arguments.
func (a *Answer) Add(block providers.Block, text string) {
	p := a.Start(block)
	p.Append(text)
	p.Finish()
}

// ReserveID reserves an id for a call of the answer. It returns false for an empty id, and for
// one that another call has.
func (a *Answer) ReserveID(id string) bool {
	if id == "" || a.calls[id] {
		return false
	}
	a.calls[id] = true
	return true
}

// Called reports whether the answer has a call.
func (a *Answer) Called() bool { return len(a.calls) > 0 }

// FinishOf returns why an answer ended, for what the service says, or "" where that has no other
// meaning than stop. Complete calls override it, unless the answer was cut off or filtered.
func (a *Answer) FinishOf(said providers.Finish) providers.Finish {
	switch {
	case said == providers.FinishLength, said == providers.FinishContentFilter:
		return said
	case a.Called():
		return providers.FinishToolCalls
	}
	return cmp.Or(said, providers.FinishStop)
}

func (a *Answer) hasNamelessCall() bool {
	return slices.ContainsFunc(a.parts, func(p *Part) bool {
		return p.Block.Type == providers.BlockToolCall && p.Block.Name == ""
	})
}

// AppendTo appends to a block, and starts it with its first text.
func (a *Answer) AppendTo(part **Part, block providers.BlockType, text string) {
	if text == "" {
		return
	}
	if *part == nil {
		*part = a.Start(providers.Block{Type: block})
	}
	(*part).Append(text)
}

// Err returns the error for an answer that exceeds its limits, or nil.
func (a *Answer) Err() error { return a.err }

// Finish finishes the blocks that are still open, and returns all blocks.
func (a *Answer) Finish() []providers.Block {
	var blocks []providers.Block
	for _, p := range a.parts {
		p.Finish()
		blocks = append(blocks, p.Block)
	}
	return blocks
}

// Partial returns the blocks so far, and emits nothing. Of an answer that is too long it returns only
// the beginning.
func (a *Answer) Partial() []providers.Block {
	if a.err != nil {
		text := a.parts[0].whole().Text
		return []providers.Block{{Type: providers.BlockText, Text: strings.ToValidUTF8(text[:min(len(text), maxExcerpt)], "")}}
	}
	var blocks []providers.Block
	for _, p := range a.parts {
		blocks = append(blocks, p.whole())
	}
	return blocks
}

// A Part is one block of an [Answer]. Its Block may be changed until it is finished, except
// for text and arguments, which are only appended.
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

// Settle sets the whole text, for services that repeat it at the end. What had not come
// before is emitted as a delta.
func (p *Part) Settle(text string) {
	if len(text) > len(p.buffer) && text[:len(p.buffer)] == string(p.buffer) {
		p.Append(text[len(p.buffer):])
		return
	}
	if !p.finished && p.grow(len(text)-len(p.buffer)) {
		p.buffer = append(p.buffer[:0], text...)
	}
}

// grow counts n more bytes, and reports whether they are within the limits.
func (p *Part) grow(n int) bool {
	if p.answer.size+n > maxText {
		p.answer.err = fmt.Errorf("%w: more than %d MiB", errTooMuch, maxText>>20)
		return false
	}
	p.answer.size += n
	return true
}

// Buffer returns what was appended, until the block is finished. It is read-only, and valid
// until the next append.
func (p *Part) Buffer() []byte { return p.buffer }

// Finish finishes the block. A second call does nothing.
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
