package tools

import (
	"bufio"
	"io"
)

// spillFile keeps an output in memory until it is started, and then in a file. It ends at
// its first error. What was written by then stays in the file, except for the last part: on
// a full disk, others need room to report that.
type spillFile struct {
	open    Spill
	early   []byte
	started bool

	file    io.WriteCloser
	buffer  *bufio.Writer
	path    string
	written int64
	err     error
}

const (
	spillBuffer = 64 << 10
	givenBack   = 1 << 20 // of a file that filled the disk
)

func (s *spillFile) add(p []byte) {
	switch {
	case s.open == nil, s.err != nil:
	case !s.started:
		s.early = append(s.early, p...)
	default:
		s.write(p)
	}
}

// start opens the file, the first time.
func (s *spillFile) start() {
	if s.started || s.open == nil {
		return
	}
	s.started = true
	early := s.early
	s.early = nil
	s.file, s.path, s.err = s.open()
	if s.err != nil {
		return
	}
	s.buffer = bufio.NewWriterSize(countingWriter{s}, spillBuffer)
	s.write(early)
}

func (s *spillFile) write(p []byte) {
	if _, s.err = s.buffer.Write(p); s.err != nil {
		s.makeRoom()
	}
}

// makeRoom cuts off the last part of the file, if it can be cut.
func (s *spillFile) makeRoom() {
	file, ok := s.file.(interface{ Truncate(size int64) error })
	if !ok {
		return
	}
	if size := max(s.written-givenBack, 0); file.Truncate(size) == nil {
		s.written = size
	}
}

// countingWriter writes to the file, and counts the bytes.
type countingWriter struct{ s *spillFile }

func (w countingWriter) Write(p []byte) (int, error) {
	n, err := w.s.file.Write(p)
	w.s.written += int64(n)
	return n, err
}

func (s *spillFile) close() {
	s.early = nil
	if s.file == nil {
		return
	}
	if s.err == nil {
		if s.err = s.buffer.Flush(); s.err != nil {
			s.makeRoom()
		}
	}
	if err := s.file.Close(); s.err == nil {
		s.err = err
	}
}
