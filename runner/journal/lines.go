package journal

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
)

// An Error says what is wrong with a journal, and where.
type Error struct {
	File string
	Line int64
	Err  error // what is wrong
}

// Error is file:line: what is wrong.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// ErrNewer is in the error for a journal that a newer version has written.
var ErrNewer = errors.New("written by a newer flow")

var (
	errChanged = errors.New("the line was changed: its checksum, or that of an earlier line, does not match")
	errFirst   = errors.New("a journal begins with a record of the kind run, which has a version, and has no other one")
)

// A line ends with its checksum: ,"sum":"1a2b3c4d"} and a newline.
const (
	sumStart  = `,"sum":"`
	sumEnd    = `"}` + "\n"
	sumDigits = 8 // from this byte on
	sumLength = 19
)

// sumOf returns the checksum of a line that follows one with the sum before.
func sumOf(before uint32, line []byte) uint32 {
	return crc32.Update(before, crc32.MakeTable(crc32.Castagnoli), line)
}

// appendSum appends the end of a line with that checksum.
func appendSum(line []byte, sum uint32) []byte {
	line = append(line, sumStart...)
	line = hex.AppendEncode(line, binary.BigEndian.AppendUint32(nil, sum))
	return append(line, sumEnd...)
}

// lines reads the lines of a journal and checks their sums.
type lines struct {
	in   *bufio.Scanner
	seq  int64 // of the last line
	sum  uint32
	at   int64 // where the last line begins
	size int64 // of all whole lines so far
	room [sumLength]byte
}

// The sizes of buffers: for all lines, and for one. A buffer grows where a line is longer.
const (
	wholeBuffer = 256 << 10
	lineBuffer  = 4 << 10
)

func readLines(from io.Reader, buffer int) *lines {
	in := bufio.NewScanner(from)
	in.Buffer(make([]byte, buffer), math.MaxInt)
	in.Split(func(data []byte, _ bool) (int, []byte, error) {
		if end := bytes.IndexByte(data, '\n') + 1; end > 0 {
			return end, data[:end], nil
		}
		return 0, nil, nil
	})
	return &lines{in: in}
}

// next returns the next line without its sum, as an object without its closing brace; nil
// after the last whole line. The slice is valid until the next call.
func (l *lines) next() ([]byte, error) {
	if !l.in.Scan() {
		return nil, l.in.Err()
	}
	line := l.in.Bytes()
	body := line[:max(len(line)-sumLength, 0)]
	sum := sumOf(l.sum, body)
	if !bytes.Equal(line[len(body):], appendSum(l.room[:0], sum)) {
		return nil, errChanged
	}
	l.seq++
	l.sum, l.at, l.size = sum, l.size, l.size+int64(len(line))
	return body, nil
}

// records reads the first record, and those of the kinds; without kinds all. An error ends the
// iteration, and is an [*Error] of the file with that name.
func (l *lines) records(name string, kinds []Kind) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for {
			line, err := l.next()
			if err != nil {
				yield(Record{}, &Error{File: name, Line: l.seq + 1, Err: err})
				return
			}
			if line == nil {
				return
			}
			if l.seq > 1 && len(kinds) > 0 && !slices.Contains(kinds, kindOf(line)) {
				continue
			}
			r, err := l.record(line)
			if err != nil {
				err = &Error{File: name, Line: l.seq, Err: err}
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// kindOf returns the kind in a record's line, without parsing it.
func kindOf(line []byte) Kind {
	_, rest, _ := bytes.Cut(line, []byte(`,"kind":"`))
	kind, _, _ := bytes.Cut(rest, []byte(`"`))
	return Kind(kind)
}

// record parses the line that next returned.
func (l *lines) record(line []byte) (Record, error) {
	r, err := ParseRecord(append(line, '}'))
	r.At = l.at
	switch {
	case r.Version > Version:
		return r, fmt.Errorf("the journal has format %d, %w; this flow reads formats up to %d", r.Version, ErrNewer, Version)
	case err != nil:
		return r, err
	case r.Seq != l.seq:
		return r, fmt.Errorf("the record has the number %d", r.Seq)
	case (l.seq == 1) != (r.Kind == Run) || l.seq == 1 && r.Version < 1:
		return r, errFirst
	}
	return r, nil
}

// lineAt returns the line that begins at an offset, as an object. It is checked by its sum, which
// continues from the one at the end of the line before.
func lineAt(from io.ReaderAt, offset int64) ([]byte, error) {
	before := min(offset, sumLength)
	l := readLines(io.NewSectionReader(from, offset-before, math.MaxInt64-offset), lineBuffer)
	if before > 0 && l.in.Scan() && len(l.in.Bytes()) == sumLength {
		sum, _ := strconv.ParseUint(string(l.in.Bytes()[sumDigits:][:8]), 16, 32)
		l.sum = uint32(sum)
	}
	line, err := l.next()
	if err == nil && line == nil {
		err = errors.New("no line begins here")
	}
	return append(line, '}'), err
}
