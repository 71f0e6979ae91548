package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"
	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/tools/shell"
)

// An interruption is the cause of a context that a signal ended.
type interruption struct{ Signal os.Signal }

// Error names the signal.
func (i *interruption) Error() string {
	return "interrupted by " + unix.SignalName(i.Signal.(syscall.Signal))
}

// sameWish is how long after the first signal another one counts as the same: timeout and some
// shells signal the program, and then its group.
const sameWish = 100 * time.Millisecond

// underSignals runs work with a context that the first SIGINT or SIGTERM ends. The second one kills the
// children of the program, and ends it. SIGHUP and SIGQUIT count as SIGTERM, unless they are ignored, as
// under nohup.
func underSignals(work func(context.Context) error) error {
	paceCollector()
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	// The loss of a reader becomes an error of the write, in place of the end of the program. The
	// signal is caught, not ignored: commands would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	var watcher conc.WaitGroup
	watcher.Go(func() {
		var first time.Time
		for s := range signals {
			switch {
			case first.IsZero():
				first = time.Now()
				stop(&interruption{s})
			case time.Since(first) > sameWish:
				shell.KillChildren()
				os.Exit(codeOfSignal(s))
			}
		}
	})
	err := work(ctx)
	signal.Stop(signals)
	close(signals)
	watcher.Wait()
	return err
}
