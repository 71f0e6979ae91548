package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"syscall"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// A Reader reads the journal of a run, also of one in which another process works; then it
// sees the records that were there when it began to read. It is safe for concurrent use.
// Nothing in the folder is trusted: symlinks are not followed. The caller who opened it closes it.
type Reader struct {
	root *os.Root
	file *os.File
	name string // of the journal, for errors
	veil *veil  // puts secrets back; nil: data has stars in their place
}

// OpenReader opens the journal in the folder of a run.
func OpenReader(dir string) (*Reader, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	file, err := openRegular(root, File, os.O_RDONLY)
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	return &Reader{root: root, file: file, name: filepath.Join(dir, File)}, nil
}

// Again opens the journal once more, for who reads it after this Reader is closed.
func (r *Reader) Again() (*Reader, error) {
	again, err := OpenReader(r.Dir())
	if err == nil {
		again.veil = r.veil
	}
	return again, err
}

// openRegular opens a file that has to be a regular one, without blocking on a pipe.
func openRegular(root *os.Root, name string, flags int) (*os.File, error) {
	path := filepath.Join(root.Name(), name)
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := root.OpenFile(name, flags|syscall.O_NONBLOCK, 0o600)
	var at *fs.PathError
	if errors.As(err, &at) {
		at.Op, at.Path = "open", path
	}
	return f, err
}

// Dir returns the folder.
func (r *Reader) Dir() string { return r.root.Name() }

// Close closes the folder.
func (r *Reader) Close() error { return errors.Join(r.file.Close(), r.root.Close()) }

// Records reads the records in order, without keeping them in memory; with kinds only those, which
// takes a fraction of the time, although all lines are checked. A torn last line is left out. An
// error ends the iteration; if the journal was changed, it is an [*Error].
func (r *Reader) Records(kinds ...Kind) iter.Seq2[Record, error] {
	return readLines(io.NewSectionReader(r.file, 0, math.MaxInt64), wholeBuffer).records(r.name, kinds)
}

// A Tail reads a journal that grows. It is not safe for concurrent use.
type Tail struct {
	from *Reader
	lines
}

// Tail returns a Tail that has read nothing.
func (r *Reader) Tail() *Tail { return &Tail{from: r} }

// More is [Reader.Records] for the records that have come since it was called last.
func (t *Tail) More() iter.Seq2[Record, error] {
	t.in = readLines(io.NewSectionReader(t.from.file, t.size, math.MaxInt64-t.size), wholeBuffer).in
	return t.records(t.from.name, nil)
}

// First reads the first record, which says how the run began.
func (r *Reader) First() (first Record, err error) {
	for first, err = range r.Records() {
		return first, err
	}
	return first, r.empty()
}

func (r *Reader) empty() error { return &Error{File: r.name, Line: 1, Err: ErrEmpty} }

// ErrEmpty is in the [*Error] for a journal without a record.
var ErrEmpty = errors.New("the journal is empty: the run did not start")

// At reads the record whose line begins at an offset: the At of a record that was read or
// appended. The line is checked against its sum.
func (r *Reader) At(offset int64) (read Record, err error) {
	line, err := lineAt(r.file, offset)
	if err == nil {
		read, err = ParseRecord(line)
	}
	if read.At = offset; err != nil {
		err = fmt.Errorf("%s, at byte %d: %w", r.name, offset, err)
	}
	return read, err
}

// Last reads the last complete record.
func (r *Reader) Last() (Record, error) {
	info, err := r.file.Stat()
	if err != nil {
		return Record{}, err
	}
	for size := int64(64 << 10); ; size *= 2 {
		end := make([]byte, min(size, info.Size()))
		from := info.Size() - int64(len(end))
		if _, err := r.file.ReadAt(end, from); err != nil {
			return Record{}, err
		}
		whole := max(bytes.LastIndexByte(end, '\n'), 0)
		start := bytes.LastIndexByte(end[:whole], '\n') + 1
		if start > 0 || from == 0 {
			return r.At(from + int64(start))
		}
	}
}

// Data returns the data of a record of this journal, with the secrets put back that a [Journal] knows, or
// with stars in their place; nil if it has none.
func (r *Reader) Data(of Record) json.RawMessage {
	if r.veil == nil {
		return Unnamed(of.Data)
	}
	return r.veil.reveal(of.Data)
}

// DataAt is [Reader.At] and [Reader.Data] in one.
func (r *Reader) DataAt(offset int64) (of Record, data json.RawMessage, err error) {
	of, err = r.At(offset)
	return of, r.Data(of), err
}

// OnlyDataAt is [Reader.DataAt] without the record, which is not parsed: who reads the results of many
// elements waits half as long.
func (r *Reader) OnlyDataAt(offset int64) (json.RawMessage, error) {
	line, err := lineAt(r.file, offset)
	_, data, _ := bytes.Cut(line, dataStart)
	return r.Data(Record{Data: bytes.TrimSuffix(data, []byte("}"))}), err
}

// Decode decodes the data of a record, as [Reader.Data] returns it, with
// [jsonline.Decode].
func (r *Reader) Decode(of Record, into any) error {
	if err := jsonline.Decode(r.Data(of), into); err != nil {
		return fmt.Errorf("record %d: %w", of.Seq, err)
	}
	return nil
}

// Start reads the description of a run in a record: the first one, or one with Changed.
func (r *Reader) Start(of Record) (s Start, err error) {
	if of.Kind == Run {
		return s, r.Decode(of, &s)
	}
	with := Resumption{Start: &s}
	return s, r.Decode(of, &with)
}
