package wire

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A watch ends a request that keeps silent for too long. Its clock runs only
// while somebody waits for bytes: a slow reader is no stall.
type watch struct {
	ctx    context.Context
	cancel context.CancelFunc
	timer  *time.Timer
	first  time.Duration // what is left for the first byte
	idle   time.Duration

	started time.Time
	quiet   time.Duration // waited since the last event
	begun   bool          // a byte of the body has come
	expired atomic.Bool
}

func newWatch(ctx context.Context, limits Limits) *watch {
	w := &watch{first: limits.FirstByte, idle: limits.Idle}
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

// heard says that an event has come.
func (w *watch) heard() { w.quiet = 0 }

func (w *watch) end() {
	w.timer.Stop()
	w.cancel()
}

// explain returns what err was in truth: the clock running out looks like a
// cancelled context.
func (w *watch) explain(err error) error {
	if err == nil || err == io.EOF || !w.expired.Load() {
		return err
	}
	message := fmt.Sprintf("the stream stalled: no byte for %s", w.idle)
	switch {
	case !w.begun:
		message = "no answer in time"
	case w.quiet >= maxQuiet:
		message = fmt.Sprintf("the stream stalled: bytes, but no event for %s", maxQuiet)
	}
	return &providers.Error{Kind: providers.KindNetwork, Message: message, Retryable: true}
}

// A watchedBody is a response's body under its watch.
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
