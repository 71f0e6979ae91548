package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
	"golang.org/x/term"

	"github.com/a-seed-11b9befa/flow/runner"
)

// redrawEvery is how long what is shown may be old.
const redrawEvery = 120 * time.Millisecond

// A live view keeps, under the lines of a [narrator], a few lines of what is
// running, drawn in place. It moves the cursor up over its own lines only, and
// leaves nothing behind when it ends.
type live struct {
	*narrator
	to    *screen
	width func() (columns, rows int)

	mu    sync.Mutex
	drawn int      // lines of the block that stand on the terminal
	aloof bool     // the terminal is somebody else's for now
	held  []string // lines that wait until it is not

	done   chan struct{}
	ticker conc.WaitGroup
}

// newLive starts to draw. It is the caller's to end the view.
func newLive(to *screen, paint painter) *live {
	l := &live{narrator: newNarrator(paint), to: to, width: sizeOf(to), done: make(chan struct{})}
	l.ticker.Go(l.tick)
	return l
}

// sizeOf asks the terminal for its size, or says what is likely.
func sizeOf(to *screen) func() (int, int) {
	return func() (int, int) {
		if file, ok := to.to.(*os.File); ok {
			if columns, rows, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 && rows > 0 {
				return columns, rows
			}
		}
		return 80, 24
	}
}

// tick draws again while nothing happens, for time goes on.
func (l *live) tick() {
	t := time.NewTicker(redrawEvery)
	defer t.Stop()
	for {
		select {
		case <-l.done:
			return
		case <-t.C:
			l.mu.Lock()
			l.draw(nil)
			l.mu.Unlock()
		}
	}
}

func (l *live) event(e runner.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines(e)
	switch {
	case e.Type == runner.RunStarted:
		l.run.began = e.Time
	case e.Type == runner.StepStarted:
		return // the block tells it
	}
	if len(lines) > 0 {
		l.draw(lines)
	}
}

// aside keeps the lines of what happens meanwhile: events are not held up, for a
// service would take a reader that waits for a person for dead.
func (l *live) aside(f func()) {
	l.mu.Lock()
	l.to.Write([]byte(l.erase()))
	l.aloof = true
	l.mu.Unlock()
	l.to.flush()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.aloof = false
		l.draw(l.held)
		l.held = nil
	}()
	f()
}

func (l *live) end() *tallies {
	close(l.done)
	l.ticker.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.to.Write([]byte(l.erase()))
	return l.tallies
}

// draw puts lines that stay where the block was, and the block under them.
func (l *live) draw(lines []string) {
	if l.aloof {
		l.held = append(l.held, lines...)
		return
	}
	var b strings.Builder
	b.WriteString(l.erase())
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	columns, rows := l.width()
	for _, line := range l.block(time.Now(), rows) {
		b.WriteString(l.paint.dim(fit(line, columns-1)) + "\n")
		l.drawn++
	}
	l.to.Write([]byte(b.String()))
}

// erase goes up to the first line of the block and clears from there.
func (l *live) erase() string {
	drawn := l.drawn
	l.drawn = 0
	if drawn == 0 {
		return ""
	}
	return fmt.Sprintf("\r\x1b[%dA\x1b[J", drawn)
}

// block is what runs now, on a third of the terminal's rows, and what all has
// come to. A terminal of few rows would scroll a part of it out of reach: it has
// none.
func (l *live) block(now time.Time, rows int) []string {
	const fewest = 6 // two places, the others, all, and the line below
	if rows < fewest {
		return nil
	}
	most := max(rows/3, 2)
	running := len(l.order)
	var lines []string
	for _, place := range l.order[:min(running, most)] {
		lines = append(lines, row(visible(place), l.places[place], now))
	}
	if more := running - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("  … and %d more", more))
	}
	if running > 1 {
		lines = append(lines, row("all", &l.run, now))
	}
	return lines
}

// row is one place: for how long it runs, what it does, what it has come to.
func row(name string, t *tally, now time.Time) string {
	row := "  " + pad(name, 24) + " " + pad(took(since(t.began, now)), 6)
	if doing := t.doing(); doing != "" {
		row += " " + doing
	}
	if amounts := t.amounts(); amounts != "" {
		row += " (" + amounts + ")"
	}
	return row
}
