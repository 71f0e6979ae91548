package term

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
)

// An Outlet writes to a stream whose reader may hold it up: a pipe that nobody
// empties, a terminal that is stopped. What is written waits in a queue, so
// that neither the run nor its end hangs on the reader. It is safe for
// concurrent use until it is closed.
//
// A write to the system can't be called back. One that is stuck when the
// waiting is over stays behind, and ends with the program.
type Outlet struct {
	// Broke is called with the first error of the stream, at once. It may be nil, and is
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

// A chunk is what one write of an outlet writes.
type chunk struct {
	text    []byte
	written chan<- struct{} // closed when all up to here is written; may be nil
}

const (
	// outletQueue is how many writes wait.
	outletQueue = 1024

	// outletGrace is for how long after an interrupt a reader is waited for.
	outletGrace = time.Second
)

// ErrHeldUp is what becomes of a write that nobody reads.
var ErrHeldUp = errors.New("what is written there is not read")

// NewOutlet returns an outlet to w. It is the caller's to close. Once ctx has
// ended, its readers are waited for a little only.
func NewOutlet(ctx context.Context, w io.Writer) *Outlet {
	o := &Outlet{to: w, queue: make(chan chunk, outletQueue), late: make(chan struct{}), done: make(chan struct{})}
	o.stop = context.AfterFunc(ctx, func() { time.AfterFunc(outletGrace, func() { close(o.late) }) })
	var writer conc.WaitGroup
	writer.Go(o.drain)
	return o
}

// drain writes what is queued until the outlet is closed, or the stream breaks;
// then it takes what comes, and drops it.
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

// offer queues a chunk, unless there is no room: it never waits.
func (o *Outlet) offer(c chunk) bool {
	select {
	case o.queue <- c:
		return true
	default:
		return false
	}
}

// Write queues a copy of p, and waits for room. The error is that of an earlier
// write, or that the reader is not waited for any more.
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
		o.fail(ErrHeldUp)
		return 0, ErrHeldUp
	}
}

// Flush waits, for a little, until what was queued before is written.
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

// Close waits until all is written, and returns the first error.
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
		return ErrHeldUp
	}
}
