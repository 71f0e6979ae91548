// Command flow-otel sends what a process did in a run as spans and metrics to an OpenTelemetry collector, by
// OTLP over HTTP. It reads the journal of the run, and is configured by the standard variables OTEL_*.
//
//	flow-otel .flow/runs/20261121-031522-k3f9
//
// sends the last process of a run that has ended. flow starts it with --follow when a run begins: then it
// reads the journal as it grows, until its standard input is closed.
//
// otlp.go has the exporters, run.go follows the records, attributes.go says what is told of them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "flow-otel:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdin io.Reader) error {
	follow := len(args) > 0 && args[0] == "--follow"
	if follow {
		args = args[1:]
	}
	if len(args) != 1 {
		return errors.New("usage: flow-otel [--follow] RUN-FOLDER")
	}
	from, err := journal.OpenReader(args[0])
	if err != nil {
		return err
	}
	defer from.Close()
	ended := make(chan struct{})
	var reading conc.WaitGroup
	if follow {
		reading.Go(func() {
			defer close(ended)
			_, _ = io.Copy(io.Discard, stdin)
		})
	} else {
		close(ended)
	}
	failed := make(chan error, 1) // the first error of the exporters, which go on
	out, err := open(ctx, func(err error) {
		select {
		case failed <- err:
		default:
		}
	})
	if err != nil {
		return err
	}
	err = errors.Join(send(from, ended, out), out.close(ctx))
	select {
	case first := <-failed:
		return errors.Join(err, first)
	default:
		return err
	}
}

// send sends the spans of the last process, and follows it until it has ended.
func send(from *journal.Reader, ended <-chan struct{}, out *exporters) error {
	told := &told{exporters: out, from: from}
	for r, err := range from.Records(journal.Run, journal.Resumed) {
		if err == nil {
			err = told.enter(&r)
		}
		if err != nil {
			return err
		}
	}
	for tail, over := from.Tail(), false; !over; {
		select {
		case <-ended:
			over = true // nothing comes after what is there now
		case <-time.After(lookEvery):
		}
		for r, err := range tail.More() {
			if err == nil && r.Seq >= told.first {
				err = told.take(&r)
			}
			if err != nil {
				return err
			}
		}
	}
	told.cutOff()
	return nil
}

const lookEvery = 100 * time.Millisecond
