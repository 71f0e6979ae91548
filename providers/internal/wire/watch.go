package wire

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
)

// The default timeouts. A model with hidden reasoning may be silent for minutes; four
// attempts with such waits are still shorter than the default timeout of a step, 20
// minutes.
const (
	defaultFirstByte = 3 * time.Minute
	defaultIdle      = 2 * time.Minute
)

// maxQuiet bounds the wait for one event while other bytes come: a proxy may keep the
// connection of a dead service alive for ever.
const maxQuiet = 10 * time.Minute

// A watch cancels a request that stalls. Its clock runs only while somebody waits for
// bytes: a slow reader is no stall.
type watch struct {
	ctx    context.Context
	cancel context.CancelFunc
	timer  *time.Timer
	first  time.Duration // left for the first byte
	idle   time.Duration

	started time.Time
	quiet   time.Duration // waited since the last event
	begun   bool          // a byte of the body has come
	expired atomic.Bool
}

func newWatch(ctx context.Context, at providers.Endpoint) *watch {
	w := &watch{first: at.FirstByteTimeout, idle: at.IdleTimeout}
	w.ctx, w.cancel = context.WithCancel(ctx)
	w.timer = time.AfterFunc(time.Hour, func() {
		w.expired.Store(true)
		w.cancel()
	})
	w.timer.Stop()
	return w
}

func (w *watch) start() {
	wait := min(w.idle, maxQuiet-w.quiet)
	if !w.begun {
		wait = w.first
	}
	w.started = time.Now()
	w.timer.Reset(max(wait, time.Nanosecond))
}

func (w *watch) pause() {
	w.timer.Stop()
	waited := time.Since(w.started)
	if !w.begun {
		w.first -= waited
		return
	}
	w.quiet += waited
}

// heard is called for each event.
func (w *watch) heard() { w.quiet = 0 }

func (w *watch) end() {
	w.timer.Stop()
	w.cancel()
}

// explain returns the error for a timeout, which looks like a cancelled context, or err.
func (w *watch) explain(err error) error {
	if err == nil || err == io.EOF || !w.expired.Load() {
		return err
	}
	message := fmt.Sprintf("the response stream stalled: no data for %s", w.idle)
	switch {
	case !w.begun:
		message = "no response in time"
	case w.quiet >= maxQuiet:
		message = fmt.Sprintf("the response stream stalled: no complete event for %s", maxQuiet)
	}
	return &providers.Error{Kind: providers.KindNetwork, Message: message, Retryable: true}
}

// A watchedBody is the body of a response that a watch may cancel.
type watchedBody struct {
	body  io.ReadCloser
	watch *watch
}

func (b *watchedBody) Read(p []byte) (int, error) {
	b.watch.start()
	n, err := b.body.Read(p)
	b.watch.pause()
	if n > 0 {
		b.watch.begun = true
	}
	return n, b.watch.explain(err)
}

func (b *watchedBody) Close() error {
	b.watch.end()
	return b.body.Close()
}
