package main

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/sourcegraph/conc"
)

// afterStop calls f each time when the program goes on after a stop, until
// unwatch. The function continued reports, once for each time, that it did.
func afterStop(f func()) (continued func() bool, unwatch func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGCONT)
	done := make(chan struct{})
	var went atomic.Bool
	var watcher conc.WaitGroup
	watcher.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-signals:
				went.Store(true)
				f()
			}
		}
	})
	return func() bool { return went.Swap(false) }, func() {
		signal.Stop(signals)
		close(done)
		watcher.Wait()
	}
}
