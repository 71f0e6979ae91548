package term

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/internal/columns"
)

// RedrawEvery is the maximum age of lines that are drawn in place.
const RedrawEvery = 120 * time.Millisecond

// A Block has a few lines below those of a [Screen], drawn in place. It moves the cursor up over its
// own lines only, and leaves nothing behind. It is safe for concurrent use.
type Block struct {
	to    *Screen
	every time.Duration
	lines Lines
	size  func() (columns, rows int)

	mu      sync.Mutex
	drawn   []int    // the columns of each line of the block on the terminal
	paused  bool     // somebody else has the terminal
	waiting []string // lines that wait until it is not

	done   chan struct{}
	ticker conc.WaitGroup
}

// Lines returns the lines of a block, and others to put above it.
type Lines func(now time.Time, wide, rows int) (put, block []string)

// NewBlock starts to draw a block periodically and after each [Block.Put]. Lines returns its lines for the
// columns and rows of the terminal, and lines to put above it; it never runs concurrently with itself or a
// function of Put. Long lines of the block are cut. The caller ends it.
func NewBlock(to *Screen, every time.Duration, lines Lines) *Block {
	size := func() (columns, rows int) {
		columns, rows = Size(to)
		return cmp.Or(columns, 80), cmp.Or(rows, 24)
	}
	b := &Block{to: to, every: every, lines: lines, size: size, done: make(chan struct{})}
	b.ticker.Go(b.tick)
	return b
}

// tick redraws the block periodically, as it shows times.
func (b *Block) tick() {
	t := time.NewTicker(b.every)
	defer t.Stop()
	for {
		select {
		case <-b.done:
			return
		case <-t.C:
			b.mu.Lock()
			b.draw(nil)
			b.mu.Unlock()
		}
	}
}

// Put calls change, which may change the block, and puts the returned lines above the block, where
// they stay.
func (b *Block) Put(change func() []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if lines := change(); len(lines) > 0 {
		b.draw(lines)
	}
}

// Pause removes the block while f has the terminal to itself. Lines that are put meanwhile wait, but
// Put does not.
func (b *Block) Pause(f func()) {
	b.mu.Lock()
	b.to.Write([]byte(b.erase()))
	b.paused = true
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.paused = false
		b.draw(b.waiting)
		b.waiting = nil
	}()
	f()
}

// End removes the block.
func (b *Block) End() {
	close(b.done)
	b.ticker.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.to.Write([]byte(b.erase()))
}

// draw writes lines that stay in the place of the block, and the block below them.
func (b *Block) draw(lines []string) {
	if b.paused {
		b.waiting = append(b.waiting, lines...)
		return
	}
	wide, rows := b.size()
	put, block := b.lines(time.Now(), wide-1, rows)
	var text strings.Builder
	text.WriteString(b.erase())
	for _, line := range append(lines, put...) {
		text.WriteString(line + "\n")
	}
	for _, line := range block {
		line = columns.Fit(line, wide-1)
		text.WriteString(line + "\n")
		b.drawn = append(b.drawn, columns.Of(line))
	}
	if text.Len() > 0 {
		b.to.Write([]byte(text.String()))
	}
}

// erase moves to the first line of the block and clears the rest of the screen. On a terminal that
// has become narrower since, a line takes several rows.
func (b *Block) erase() string {
	wide, _ := b.size()
	rows := 0
	for _, columns := range b.drawn {
		rows += max(1, (columns+wide-1)/wide)
	}
	b.drawn = nil
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("\r\x1b[%dA\x1b[J", rows)
}
