// Package journal has the records of a run and the addresses of its units, and stores the records: it
// appends them, reads them back, cuts off a line that a crash has torn, and lets one process at a
// time write.
//
//	j, err := journal.Create(dir, journal.Options{Secrets: journal.Secrets{Mask: mask.JSONWith}})
//	defer j.Close()
//	err = j.Append(&journal.Record{Kind: journal.Began, Unit: u, Data: work})
//
// A folder holds journal.jsonl, one record a line; outputs/, with texts of more than 256 KiB; and
// lock. A line is an object that ends with its checksum:
//
//	{"seq":2,"time":"…","kind":"began","unit":"lint~1","data":{…},"sum":"1a2b3c4d"}
//
// The sum is a CRC-32C, in hex, that continues from line to line: it covers what comes before
// `,"sum":` in this line and in all lines before it. It detects changes by mistake, and is no
// signature. A last line without a newline, which a crash leaves, counts as not written.
package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
)

// File is the name of the file of a journal, in its folder.
const File = "journal.jsonl"

// syncAfter is the time after which appended records are on the disk.
const syncAfter = 1 * time.Second

// Options configure how a journal is written.
type Options struct {
	Secrets Secrets // are hidden in the data of records

	Sync func(*os.File) error // in place of (*os.File).Sync for the records; nil: that
}

// A Journal is a run's journal, open for writing. It is safe for concurrent use. The caller
// who opened it closes it.
type Journal struct {
	*Reader
	Earlier []Record // the marks, as of [Reader.Marks], that [Open] found

	veil   *veil
	file   *os.File             // nil: what is appended is dropped
	toDisk func(*os.File) error // syncs file
	lock   *os.File

	dirty chan struct{} // full while something may not be on the disk
	done  chan struct{} // closed by Close
	flush conc.WaitGroup
	close func() error // once

	mu     sync.Mutex
	seq    int64
	sum    uint32
	size   int64    // of the complete lines
	fresh  []string // the names of files of long texts that may not be on the disk
	broken error    // why nothing can be written any more
	line   []byte   // a buffer
}

// Create creates the journal of a new run in a folder, and the folder with its parents if
// need be. The error is [ErrRun] if the folder has a journal with a record in it: one without
// belongs to a run that did not come to begin, and is used.
func Create(dir string, o Options) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return open(dir, o, (*Journal).create)
}

// Open opens the journal of a run to continue it. It reads the journal once, checks that no
// line was changed, and then cuts off a torn last line; files of long texts are checked when they are read.
// If something is wrong, it returns an error that says where, and changes nothing. If another
// process works in the run, the error is a [*Locked].
func Open(dir string, o Options) (*Journal, error) { return open(dir, o, (*Journal).resume) }

// Peek opens the journal of a run for a process that wants to know what it would write next. It
// takes no lock and changes nothing: what is appended is dropped.
func Peek(dir string, o Options) (*Journal, error) {
	r, err := OpenReaderWith(dir, o.Secrets)
	if err != nil {
		return nil, err
	}
	r.shows = false
	j := &Journal{Reader: r, veil: newVeil(o.Secrets), close: r.Close}
	for mark, err := range r.Marks() {
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		j.Earlier = append(j.Earlier, mark)
	}
	return j, nil
}

// open opens a journal, whose file begin opens while the folder is locked.
func open(dir string, o Options, begin func(*Journal) error) (_ *Journal, err error) {
	r, err := OpenReader(dir)
	if err != nil {
		return nil, err
	}
	r.see(o.Secrets)
	r.shows = false // a run must not continue with what is shown in place of a lost text
	j := &Journal{Reader: r, veil: newVeil(o.Secrets), toDisk: o.Sync, dirty: make(chan struct{}, 1), done: make(chan struct{})}
	if j.toDisk == nil {
		j.toDisk = (*os.File).Sync
	}
	j.close = sync.OnceValue(j.finish)
	defer func() {
		if err != nil {
			err = errors.Join(err, j.release())
		}
	}()
	if j.lock, err = acquireLock(r.root); err != nil {
		return nil, err
	}
	if err = begin(j); err != nil {
		return nil, err
	}
	j.flush.Go(j.keepSynced)
	return j, nil
}

// openFile opens the journal's file, and marks it busy.
func (j *Journal) openFile(flags int) (err error) {
	if j.file, err = openRegular(j.root, File, os.O_RDWR|os.O_APPEND|flags); err != nil {
		return err
	}
	return markBusy(j.file)
}

// create opens the file of a new run.
func (j *Journal) create() error {
	err := j.openFile(os.O_CREATE | os.O_EXCL)
	if errors.Is(err, fs.ErrExist) {
		err = j.reuse()
	}
	if err != nil {
		return err
	}
	return syncEntry(j.root, ".")
}

// reuse opens a file in which no record was written whole: its process was killed, or the disk
// was full, just as the run was to begin.
func (j *Journal) reuse() error {
	if err := j.openFile(0); err != nil {
		return err
	}
	const start = `{"seq":1,`
	text, err := io.ReadAll(j.file)
	if err != nil {
		return err
	}
	if bytes.ContainsRune(text, '\n') || !bytes.HasPrefix(text, []byte(start)[:min(len(text), len(start))]) {
		return ErrRun
	}
	return j.file.Truncate(0)
}

// resume opens the file of a run that has begun.
func (j *Journal) resume() error {
	if err := j.openFile(0); err != nil {
		return err
	}
	return j.readToEnd()
}

// readToEnd reads an existing journal to its end.
func (j *Journal) readToEnd() error {
	s := newScanner(j.name, j.file)
	for read, err := range s.records(isMark) {
		if err != nil {
			return err
		}
		j.Earlier = append(j.Earlier, read)
	}
	if s.seq == 0 {
		return j.empty()
	}
	j.seq, j.sum, j.size = s.seq, s.sum, s.size
	if !s.torn {
		return nil
	}
	return j.file.Truncate(j.size)
}

// Append writes a record at the end. It sets its Seq, its At, its Time if that is zero, and its
// Data to what was written: masked, with references to files in place of long texts. When it returns,
// the record survives the death of this process; it survives a crash of the machine after a
// second, or after [Journal.Sync]. If it returns an error, nothing was written; after a full
// disk later records may be.
func (j *Journal) Append(r *Record) error {
	line, err := j.Prepare(r)
	if err != nil {
		return err
	}
	return j.Write(line)
}

// A Line is an encoded record.
type Line struct {
	record *Record
	rest   []byte
}

// Prepare does the part of [Journal.Append] that takes time and needs no order, and sets the
// record's Data.
func (j *Journal) Prepare(r *Record) (l Line, err error) {
	if err := j.store(r); err != nil {
		return l, fmt.Errorf("record %q of %q: %w", r.Kind, r.Unit, err)
	}
	rest, err := r.rest()
	if err != nil {
		return l, fmt.Errorf("record %q of %q: %w", r.Kind, r.Unit, err)
	}
	return Line{r, rest}, nil
}

// Write does the rest of [Journal.Append].
func (j *Journal) Write(l Line) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		return j.broken
	}
	r := l.record
	r.Seq, r.At = j.seq+1, j.size
	if r.Time.IsZero() {
		r.Time = time.Now().UTC()
	}
	if j.file == nil {
		return nil
	}
	line := append(append(j.line[:0], r.head()...), l.rest...)
	sum := sumOf(j.sum, line)
	line = appendSum(line, sum)
	j.line = line[:0]
	if n, err := j.file.Write(line); err != nil {
		return j.undo(n, err)
	}
	j.seq, j.sum, j.size = r.Seq, sum, j.size+int64(len(line))
	select {
	case j.dirty <- struct{}{}:
	default:
	}
	return nil
}

// undo removes the written part of a line that could not be written completely.
func (j *Journal) undo(written int, cause error) error {
	cause = fmt.Errorf("%s: %w", j.name, cause)
	if written == 0 {
		return cause
	}
	if err := j.file.Truncate(j.size); err != nil {
		j.broken = errors.Join(cause, fmt.Errorf("can't remove the incomplete last line: %w", err))
		return j.broken
	}
	return cause
}

// Close syncs the journal and lets other processes open it. The second call does nothing.
func (j *Journal) Close() error { return j.close() }

func (j *Journal) finish() error {
	close(j.done)
	j.flush.Wait()
	return errors.Join(j.Sync(), j.release())
}

// release closes everything, the lock last.
func (j *Journal) release() error {
	var errs []error
	for _, f := range []*os.File{j.file, j.lock} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(append(errs, j.Reader.Close())...)
}
