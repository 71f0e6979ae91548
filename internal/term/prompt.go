package term

import (
	"context"
	"fmt"
	"io"
	"time"
)

// A TTY is a terminal with a person, such as an open /dev/tty.
type TTY interface {
	io.ReadWriter
	SetReadDeadline(t time.Time) error
}

// Ask shows the prompt and reads a line. When ctx ends it returns its cause. At the end of the input
// (Ctrl-D), and for a terminal that is gone, the error is io.EOF.
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
	if _, err := tty.Write([]byte(prompt)); err != nil {
		return "", io.EOF
	}
	line, err := readLine(tty)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil && line == "":
		return "", io.EOF
	}
	return line, nil
}

// readLine reads a line byte by byte, as the next one answers another question. It cuts a line that
// is too long.
func readLine(r io.Reader) (string, error) {
	const maxLine = 4096 // as a terminal has it
	var line []byte
	for len(line) < maxLine {
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
