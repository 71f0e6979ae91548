package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// A Reader reads the journal of a run, also of one in which another process works; then it
// sees the records that were there when it began to read. It is safe for concurrent use.
// Nothing in the folder is trusted: symlinks out of it are not followed. The caller who opened
// it closes it.
type Reader struct {
	root *os.Root
	name string // of the journal, for errors

	shown func(data []byte) []byte // is applied to data that is returned
	shows bool                     // a text that says so takes the place of a lost one

	mu   sync.Mutex
	open *os.File // for [Reader.At]; nil until that is called
}

// OpenReader opens the folder of a run.
func OpenReader(dir string) (*Reader, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Reader{root: root, name: filepath.Join(dir, File), shown: Unnamed, shows: true}, nil
}

// OpenReaderWith is OpenReader for a process that knows secrets, which are put back.
func OpenReaderWith(dir string, s Secrets) (*Reader, error) {
	r, err := OpenReader(dir)
	if err == nil {
		r.see(s)
	}
	return r, err
}

func (r *Reader) see(s Secrets) { r.shown = newVeil(s).reveal }

// Dir returns the folder.
func (r *Reader) Dir() string { return r.root.Name() }

// Close closes the folder.
func (r *Reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	if r.open != nil {
		err = r.open.Close()
	}
	return errors.Join(err, r.root.Close())
}

// opened returns the journal's file, which is opened once.
func (r *Reader) opened() (*os.File, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		f, err := openRegular(r.root, File, os.O_RDONLY)
		if err != nil {
			return nil, err
		}
		r.open = f
	}
	return r.open, nil
}

// Records reads the records in order, without keeping them in memory. A torn last line is
// left out. An error ends the iteration; if the journal was changed, it is an [*Error].
func (r *Reader) Records() iter.Seq2[Record, error] {
	return r.read(func([]byte) bool { return true })
}

// read reads the records of those lines that are wanted.
func (r *Reader) read(wanted func(line []byte) bool) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		f, err := openRegular(r.root, File, os.O_RDONLY)
		if err != nil {
			yield(Record{}, err)
			return
		}
		defer f.Close()
		newScanner(r.name, f).records(wanted)(yield)
	}
}

// First reads the first record, which says how the run began.
func (r *Reader) First() (first Record, err error) {
	for first, err = range r.Records() {
		return first, err
	}
	return first, r.empty()
}

func (r *Reader) empty() error {
	return &Error{File: r.name, Line: 1, Message: "the journal is empty: the run did not start", Err: ErrEmpty}
}

// ErrEmpty is the cause of the [*Error] for a journal without a record.
var ErrEmpty = errors.New("the journal is empty")

// Marks is [Records] for the kinds run, resumed and end: how the run began, and when processes
// began to work in it again and ended it. Other records may be among them. It checks all lines
// but parses only these, which takes a fraction of the time.
func (r *Reader) Marks() iter.Seq2[Record, error] {
	return r.read(isMark)
}

// isMark reports whether [Reader.Marks] reads a line. A line that has another form than this
// package writes counts as one.
func isMark(line []byte) bool {
	_, kind, found := bytes.Cut(line[:min(len(line), maxHead)], kindStart)
	return !found || slices.ContainsFunc(marks, func(mark []byte) bool { return bytes.HasPrefix(kind, mark) })
}

// maxHead is more than the length of a line up to its kind, with the longest mark.
const maxHead = 100

var (
	kindStart = []byte(`,"kind":"`)
	marks     = [][]byte{[]byte(Run + `"`), []byte(Resumed + `"`), []byte(End + `"`)}
)

// openRegular opens a file that has to be a regular one, without blocking on a pipe.
func openRegular(root *os.Root, name string, flags int) (*os.File, error) {
	f, err := root.OpenFile(name, flags|syscall.O_NONBLOCK, 0o600)
	var at *fs.PathError
	if errors.As(err, &at) {
		at.Op, at.Path = "open", filepath.Join(root.Name(), name)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", filepath.Join(root.Name(), name))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
