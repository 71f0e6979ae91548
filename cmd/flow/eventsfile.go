package main

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/internal/term"
)

// An eventsFile is the file of --events. What was in it stays there until the
// run begins.
type eventsFile struct {
	*os.File
	began bool
}

// Write writes lines. Pipes and devices have nothing to truncate.
func (f *eventsFile) Write(p []byte) (int, error) {
	if !f.began {
		f.began = true
		if err := f.Truncate(0); err != nil && !errors.Is(err, syscall.EINVAL) {
			return 0, err
		}
	}
	return f.File.Write(p)
}

// openEvents returns where the events of --events go: "-" is standard output.
// broke is told at once when they can't be written any more; what closes it gives the first error of all writes.
func openEvents(ctx context.Context, name string, stdout io.Writer, broke func(error)) (io.Writer, func() error, error) {
	if name == "-" {
		out := term.NewOutlet(ctx, stdout)
		out.Broke = broke
		return out, out.Close, nil
	}
	file, err := openForWriting(ctx, name)
	var interrupted *interruption
	switch {
	case errors.As(err, &interrupted):
		return nil, nil, err
	case err != nil:
		return nil, nil, usage("", "--events: %v", err)
	}
	out := term.NewOutlet(ctx, &eventsFile{File: file})
	out.Broke = broke
	return out, func() error {
		err := out.Close()
		if closed := file.Close(); err == nil {
			err = closed
		}
		return err
	}, nil
}

// openForWriting opens a file, and waits for the reader of a pipe as long as ctx
// lasts. An open that nothing comes of stays behind, and ends with the program.
func openForWriting(ctx context.Context, name string) (*os.File, error) {
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	var opener conc.WaitGroup
	opener.Go(func() {
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
		done <- opened{file, err}
	})
	select {
	case o := <-done:
		return o.file, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
