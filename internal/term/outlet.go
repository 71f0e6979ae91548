package term

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
)

// An Outlet writes to a stream whose reader may block it: a pipe that nobody reads, a stopped
// terminal. It queues writes, so that neither the run nor its end depends on the reader. It is
// safe for concurrent use until it is closed.
//
// A blocked write can't be cancelled: it stays behind, and ends with the program.
type Outlet struct {
	// Broke is called at once with the first error of the stream. It may be nil, and must be
	// set before the first write.
	Broke func(error)

	to    io.Writer
	queue chan chunk
	late  chan struct{} // closed when nobody waits for the reader any more
	done  chan struct{} // closed when all is written
	stop  func() bool

	mu  sync.Mutex
	err error // the first one
}

// A chunk is one write of an outlet.
type chunk struct {
	text    []byte
	written chan<- struct{} // closed when all up to here is written; may be nil
}

const (
	// outletQueue is how many writes may wait.
	outletQueue = 1024

	// outletGrace is how long an outlet waits for its reader after an interrupt.
	outletGrace = time.Second
)

// ErrBlocked is the error of a write that nobody reads.
var ErrBlocked = errors.New("what is written there is not read")

// NewOutlet returns an outlet to w. The caller closes it. Once ctx has ended, it waits only a
// short time for its reader.
func NewOutlet(ctx context.Context, w io.Writer) *Outlet {
	o := &Outlet{to: w, queue: make(chan chunk, outletQueue), late: make(chan struct{}), done: make(chan struct{})}
	o.stop = context.AfterFunc(ctx, func() { time.AfterFunc(outletGrace, func() { close(o.late) }) })
	var writer conc.WaitGroup
	writer.Go(o.drain)
	return o
}

// drain writes queued chunks until the outlet is closed. After an error it drops them.
func (o *Outlet) drain() {
	defer close(o.done)
	for c := range o.queue {
		if len(c.text) > 0 && o.failure() == nil {
			if _, err := o.to.Write(c.text); err != nil {
				o.fail(err)
				if o.Broke != nil {
					o.Broke(err)
				}
			}
		}
		if c.written != nil {
			close(c.written)
		}
	}
}

func (o *Outlet) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
	}
}

// failure is the first error of a write.
func (o *Outlet) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// offer queues a chunk if there is room. It never waits.
func (o *Outlet) offer(c chunk) bool {
	select {
	case o.queue <- c:
		return true
	default:
		return false
	}
}

// Write queues a copy of p, and waits for room. It returns the error of an earlier write, or
// [ErrBlocked].
func (o *Outlet) Write(p []byte) (int, error) {
	if err := o.failure(); err != nil {
		return 0, err
	}
	mine := chunk{text: append([]byte(nil), p...)}
	if o.offer(mine) {
		return len(p), nil
	}
	select {
	case o.queue <- mine:
		return len(p), nil
	case <-o.late:
		o.fail(ErrBlocked)
		return 0, ErrBlocked
	}
}

// Flush waits a short time until all earlier writes are done.
func (o *Outlet) Flush() {
	written := make(chan struct{})
	if !o.offer(chunk{written: written}) {
		return
	}
	select {
	case <-written:
	case <-o.late:
	case <-time.After(outletGrace):
	}
}

// Close waits until all writes are done, and returns the first error.
func (o *Outlet) Close() error {
	close(o.queue)
	defer o.stop()
	select {
	case <-o.done:
		return o.failure()
	case <-o.late:
	}
	select {
	case <-o.done: // both at once
		return o.failure()
	default:
		return ErrBlocked
	}
}
