package term

import (
	"fmt"
	"github.com/a-seed-11b9befa/flow/internal/columns"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
)

// redrawEvery is how long what a block shows may be old.
const redrawEvery = 120 * time.Millisecond

// A Block is a few lines under all that a [Screen] shows, drawn in place. It moves
// the cursor up over its own lines only, and leaves nothing behind when it ends. It
// is safe for concurrent use.
type Block struct {
	to    *Screen
	paint Painter
	lines func(now time.Time, rows int) []string
	size  func() (columns, rows int)

	mu    sync.Mutex
	drawn int      // lines of the block that stand on the terminal
	aloof bool     // the terminal is somebody else's for now
	held  []string // lines that wait until it is not

	done   chan struct{}
	ticker conc.WaitGroup
}

// NewBlock starts to draw what lines returns for a terminal of so many rows, now
// and then and after each [Block.Put]; longer lines are cut. The function is never
// called twice at once, nor beside one that is put. It is the caller's to end the
// block.
func NewBlock(to *Screen, paint Painter, lines func(now time.Time, rows int) []string) *Block {
	b := &Block{to: to, paint: paint, lines: lines, size: to.Size, done: make(chan struct{})}
	b.ticker.Go(b.tick)
	return b
}

// tick draws again while nothing happens, for time goes on.
func (b *Block) tick() {
	t := time.NewTicker(redrawEvery)
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

// Put calls change, which may change what the block shows, and puts the lines that
// it returns above the block, where they stay.
func (b *Block) Put(change func() []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if lines := change(); len(lines) > 0 {
		b.draw(lines)
	}
}

// Aside takes the block away while f has the terminal to itself, and keeps the
// lines that are put meanwhile: nobody who puts them is held up.
func (b *Block) Aside(f func()) {
	b.mu.Lock()
	b.to.Write([]byte(b.erase()))
	b.aloof = true
	b.mu.Unlock()
	b.to.Flush()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.aloof = false
		b.draw(b.held)
		b.held = nil
	}()
	f()
}

// End takes the block away.
func (b *Block) End() {
	close(b.done)
	b.ticker.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.to.Write([]byte(b.erase()))
}

// draw puts lines that stay where the block was, and the block under them.
func (b *Block) draw(lines []string) {
	if b.aloof {
		b.held = append(b.held, lines...)
		return
	}
	var text strings.Builder
	text.WriteString(b.erase())
	for _, line := range lines {
		text.WriteString(line + "\n")
	}
	wide, rows := b.size()
	for _, line := range b.lines(time.Now(), rows) {
		text.WriteString(b.paint.Dim(columns.Fit(line, wide-1)) + "\n")
		b.drawn++
	}
	b.to.Write([]byte(text.String()))
}

// erase goes up to the first line of the block and clears from there.
func (b *Block) erase() string {
	drawn := b.drawn
	b.drawn = 0
	if drawn == 0 {
		return ""
	}
	return fmt.Sprintf("\r\x1b[%dA\x1b[J", drawn)
}
