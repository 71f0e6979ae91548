package tools

import "io"

// spillFile keeps an output in memory until it is started, and then in a file. It ends at
// its first error. What was written by then stays in the file, except for the last part: on
// a full disk, others need room to report that.
type spillFile struct {
	open    Spill
	early   []byte
	started bool

	file    io.WriteCloser
	path    string
	written int64
	err     error
}

const givenBack = 1 << 20 // of a file that filled the disk

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
	if s.file, s.path, s.err = s.open(); s.err == nil {
		s.write(early)
	}
}

func (s *spillFile) write(p []byte) {
	n, err := s.file.Write(p)
	s.written, s.err = s.written+int64(n), err
	if file, cuts := s.file.(interface{ Truncate(size int64) error }); err != nil && cuts {
		if size := max(s.written-givenBack, 0); file.Truncate(size) == nil {
			s.written = size
		}
	}
}

func (s *spillFile) close() {
	s.early = nil
	if s.file == nil {
		return
	}
	if err := s.file.Close(); s.err == nil {
		s.err = err
	}
}
