// Package signals is how a program ends that is asked to: once by the context of its work,
// and the second time at once.
package signals

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"
)

// An Interruption is the cause of a context that a signal ended.
type Interruption struct{ Signal os.Signal }

// Error names the signal.
func (i *Interruption) Error() string {
	switch i.Signal {
	case syscall.SIGTERM:
		return "interrupted by SIGTERM"
	case syscall.SIGHUP:
		return "interrupted by SIGHUP"
	case syscall.SIGQUIT:
		return "interrupted by SIGQUIT"
	}
	return "interrupted by SIGINT"
}

// sameWish is how long after the first signal another one is the same: timeout
// and some shells signal the program, and then the group that it is in.
const sameWish = 100 * time.Millisecond

// Under runs work with a context that the first SIGINT or SIGTERM ends. The second one
// goes to again, which ends the program. SIGHUP and SIGQUIT are taken for SIGTERM, but
// for one that is ignored, as under nohup.
func Under(work func(context.Context) error, again func(os.Signal)) error {
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
	outlivePipes()

	done := make(chan struct{})
	var watcher conc.WaitGroup
	watcher.Go(func() {
		var first time.Time
		for {
			select {
			case <-done:
				return
			case s := <-signals:
				switch {
				case first.IsZero():
					first = time.Now()
					stop(&Interruption{s})
				case time.Since(first) > sameWish:
					again(s)
				}
			}
		}
	})
	err := work(ctx)
	close(done)
	watcher.Wait()
	return err
}

// outlivePipes makes a reader that has gone away an error of the write to it,
// in place of the end of the program. The signal is caught and not ignored:
// commands would inherit that.
func outlivePipes() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}
