package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An interruption is the cause of a context that a signal ended.
type interruption struct{ signal os.Signal }

// Error names the signal.
func (i *interruption) Error() string {
	switch i.signal {
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

// underSignals runs work with a context that the first SIGINT or SIGTERM ends.
// The second one ends the program, and kills what it has started. SIGHUP and
// SIGQUIT are taken for SIGTERM, but for one that is ignored, as under nohup.
func underSignals(work func(context.Context) error) error {
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
					stop(&interruption{s})
				case time.Since(first) > sameWish:
					shell.KillChildren()
					os.Exit(codeOfSignal(s))
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

// sayGrace says, once the run is interrupted, how long steps that ask always() have.
// stop ends that, and is called when nothing runs any more.
func (s *session) sayGrace(ctx context.Context) (stop func()) {
	grace := s.flags.grace
	if grace <= 0 || !slices.ContainsFunc(s.host.Workflow.Used(), (*workflows.Workflow).UsesAlways) {
		return func() {}
	}
	said := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		defer close(said)
		s.say(fmt.Sprintf("%v: steps with always() have %s (--grace)", context.Cause(ctx), view.Took(grace)), "")
	})
	return func() {
		if !unwatch() {
			<-said
		}
	}
}
