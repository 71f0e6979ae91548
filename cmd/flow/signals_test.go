package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// The first signal ends the context of the work, which says by which it was, and what the
// work returns is returned.
func TestUnderSignals(t *testing.T) {
	for by, want := range map[syscall.Signal]string{
		syscall.SIGINT: "interrupted by SIGINT", syscall.SIGTERM: "interrupted by SIGTERM",
		syscall.SIGHUP: "interrupted by SIGHUP", syscall.SIGQUIT: "interrupted by SIGQUIT",
	} {
		if signal.Ignored(by) { // as under nohup: it is to stay so
			continue
		}
		err := underSignals(func(ctx context.Context) error {
			if err := syscall.Kill(os.Getpid(), by); err != nil {
				return err
			}
			<-ctx.Done()
			return context.Cause(ctx)
		})
		var cause *interruption
		if !errors.As(err, &cause) || cause.Signal != by || err.Error() != want {
			t.Errorf("%v: %v, want %s", by, err, want)
		}
	}
}
