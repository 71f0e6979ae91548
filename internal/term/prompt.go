package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"
)

// A TTY is a terminal with a person, such as an open /dev/tty.
type TTY interface {
	io.ReadWriter
	SetReadDeadline(t time.Time) error
}

// Ask shows the prompt and reads a line. When ctx ends it returns its cause. After a stop (Ctrl-Z)
// and fg it shows the prompt again. At the end of the input (Ctrl-D), and for a terminal that is
// gone, the error is io.EOF.
func Ask(ctx context.Context, tty TTY, prompt string) (string, error) {
	tty.SetReadDeadline(time.Time{}) // what ended another question is over
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		tty.SetReadDeadline(time.Now())
	})
	defer func() {
		if !stop() {
			<-ended
		}
	}()
	continued, unwatch := afterStop(func() { tty.SetReadDeadline(time.Now()) })
	defer unwatch()
	for {
		if _, err := tty.Write([]byte(prompt)); err != nil {
			return "", io.EOF
		}
		line, err := readLine(tty)
		switch {
		case ctx.Err() != nil:
			return "", context.Cause(ctx)
		case errors.Is(err, os.ErrDeadlineExceeded) && continued():
			tty.SetReadDeadline(time.Time{})
			prompt = strings.TrimPrefix("\n"+prompt, "\n\n")
			continue
		case err != nil && line == "":
			return "", io.EOF
		}
		return line, nil
	}
}

// readLine reads a line byte by byte, as the next one answers another question. It cuts a line that
// is too long.
func readLine(r io.Reader) (string, error) {
	const longest = 4096 // as a terminal has it
	var line []byte
	for len(line) < longest {
		var b [1]byte
		n, err := r.Read(b[:])
		if n == 1 && b[0] == '\n' {
			break
		}
		line = append(line, b[:n]...)
		if err != nil {
			return string(line), fmt.Errorf("terminal: %w", err)
		}
	}
	return string(line), nil
}

// afterStop calls f each time the program continues after a stop, until unwatch is called. The
// function continued reports each time once.
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
