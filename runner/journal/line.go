package journal

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
)

// An Error says what is wrong with a journal, and where.
type Error struct {
	File    string
	Line    int64
	Message string
	Err     error // the cause, if there is one
	Unit    Unit  // whose data is missing or damaged; zero: the journal itself is
}

// Error is file:line: message.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrNewer is the cause of the error for a journal that a newer version has written.
var ErrNewer = errors.New("a newer format")

var sumStart = []byte(`,"sum":"`)

// sumLength is the length of ,"sum":"1a2b3c4d"} at the end of a line.
const sumLength = 18

// sumOf returns the checksum of a line that follows one with the sum before. The table is
// made when it is first needed.
func sumOf(before uint32, line []byte) uint32 {
	return crc32.Update(before, crc32.MakeTable(crc32.Castagnoli), line)
}

// appendSum appends the checksum and the newline of a line.
func appendSum(line []byte, sum uint32) []byte {
	line = append(line, sumStart...)
	line = hex.AppendEncode(line, []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
	return append(line, "\"}\n"...)
}

// A scanner reads the lines of a journal and checks their sums.
type scanner struct {
	name string
	in   *bufio.Reader
	long []byte // a buffer for lines that are longer than that of in

	seq  int64 // of the last line
	sum  uint32
	at   int64 // where the last line begins
	size int64 // of all whole lines so far
	torn bool  // after them comes something without a newline
}

// bufferSize is enough for most lines.
const bufferSize = 256 << 10

func newScanner(name string, from io.Reader) *scanner {
	return &scanner{name: name, in: bufio.NewReaderSize(from, bufferSize)}
}

// next returns the next line without its sum, as an object without its closing brace; nil
// after the last line. The slice is valid until the next call.
func (s *scanner) next() ([]byte, error) {
	line, err := s.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = s.rest(line)
	}
	switch {
	case errors.Is(err, io.EOF):
		s.torn = len(line) > 0
		return nil, nil
	case err != nil:
		return nil, &Error{File: s.name, Line: s.seq + 1, Message: err.Error(), Err: err}
	}
	body := line[:max(len(line)-sumLength-1, 0)]
	sum := sumOf(s.sum, body)
	if !bytes.Equal(line[len(body):], appendSum(nil, sum)) {
		return nil, s.fault(s.seq+1, "the line was changed: its checksum, or that of an earlier line, does not match")
	}
	s.seq++
	s.sum, s.at, s.size = sum, s.size, s.size+int64(len(line))
	return body, nil
}

// rest returns a line that is longer than the buffer, of which the beginning was read.
func (s *scanner) rest(beginning []byte) ([]byte, error) {
	s.long = append(s.long[:0], beginning...)
	for {
		more, err := s.in.ReadSlice('\n')
		s.long = append(s.long, more...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return s.long, err
		}
	}
}

func (s *scanner) fault(line int64, message string) error {
	return &Error{File: s.name, Line: line, Message: message}
}

// records reads the first record, and those of lines that are wanted. It ends after an error.
func (s *scanner) records(wanted func(line []byte) bool) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for {
			line, err := s.next()
			if line == nil && err == nil {
				return
			}
			if err == nil && s.seq > 1 && !wanted(line) {
				continue
			}
			var read Record
			if err == nil {
				read, err = s.record(line)
			}
			if !yield(read, err) || err != nil {
				return
			}
		}
	}
}

// record parses the line that next returned.
func (s *scanner) record(line []byte) (Record, error) {
	r, err := ParseRecord(append(line, '}'))
	r.At = s.at
	switch {
	case r.Version > Version:
		message := fmt.Sprintf("the journal has format %d, written by a newer flow; this flow reads formats up to %d", r.Version, Version)
		return r, &Error{File: s.name, Line: s.seq, Message: message, Err: ErrNewer}
	case err != nil:
		return r, &Error{File: s.name, Line: s.seq, Message: err.Error(), Err: err}
	case r.Seq != s.seq:
		return r, s.fault(s.seq, fmt.Sprintf("the record has the number %d", r.Seq))
	case (s.seq == 1) != (r.Kind == Run) || s.seq == 1 && r.Version < 1:
		return r, s.fault(s.seq, "a journal begins with a record of the kind run, which has a version, and has no other one")
	}
	return r, nil
}
