// Package journal has the records of a run and the addresses of its units, and stores the records: it
// appends them, reads them back, cuts off a line that a crash has torn, and lets one process at a
// time write.
//
//	j, err := journal.Create(dir, journal.Options{Secrets: journal.Secrets{Mask: mask.JSONWith}})
//	defer j.Close()
//	err = j.Append(&journal.Record{Kind: journal.Began, Unit: u, Data: work})
//
// A folder holds journal.jsonl, one record a line, and lock. A line is an object that ends with its
// checksum:
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
	"os"
	"path/filepath"
	"sync"
	"time"
)

// File is the name of the file of a journal, in its folder.
const File = "journal.jsonl"

// syncAfter is the time after which appended records are on the disk.
const syncAfter = 1 * time.Second

// Options configure how a journal is written.
type Options struct {
	Secrets Secrets // are hidden in the data of records

	Sync func(*os.File) error // in place of (*os.File).Sync; nil: that
}

// A Journal is a run's journal, open for writing. It is safe for concurrent use. The caller
// who opened it closes it.
type Journal struct {
	*Reader
	Earlier []Record // of the kinds run, resumed and end, that [Open] found

	toDisk func(*os.File) error // syncs the file
	peeks  bool                 // what is appended is dropped

	mu     sync.Mutex
	seq    int64
	sum    uint32
	size   int64       // of the complete lines
	later  *time.Timer // syncs what may not be on the disk; nil: everything is
	broken error       // why nothing can be written any more
}

// Create creates the journal of a new run in a folder, and the folder with its parents if
// need be. The error is [ErrRun] if the folder has a journal with a record in it: one without
// belongs to a run that did not come to begin, and is used.
func Create(dir string, o Options) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return open(dir, o, os.O_CREATE, (*Journal).create)
}

// Open opens the journal of a run to continue it. It reads the journal once, checks that no
// line was changed, and then cuts off a torn last line. If something is wrong, it returns an error that
// says where, and changes nothing. If another process works in the run, the error is a [*Locked].
func Open(dir string, o Options) (*Journal, error) { return open(dir, o, 0, (*Journal).resume) }

// Peek opens the journal of a run for a process that wants to know what it would write next. It
// takes no lock and changes nothing: what is appended is dropped.
func Peek(dir string, o Options) (*Journal, error) {
	r, err := OpenReader(dir)
	if err != nil {
		return nil, err
	}
	j := newJournal(r, o)
	j.peeks = true
	if _, err := j.readEarlier(); err != nil {
		_ = r.Close()
		return nil, err
	}
	return j, nil
}

func newJournal(r *Reader, o Options) *Journal {
	r.veil = newVeil(o.Secrets)
	j := &Journal{Reader: r, toDisk: o.Sync}
	if j.toDisk == nil {
		j.toDisk = (*os.File).Sync
	}
	return j
}

// open locks a folder and opens its journal, which begin makes ready for writing.
func open(dir string, o Options, flags int, begin func(*Journal) error) (_ *Journal, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	j := newJournal(&Reader{root: root, name: filepath.Join(dir, File)}, o)
	defer func() {
		if err != nil {
			_ = j.Reader.Close()
		}
	}()
	if j.file, err = openRegular(root, File, os.O_RDWR|os.O_APPEND|flags); err != nil {
		return nil, err
	}
	if err = acquire(root, j.file); err != nil {
		return nil, err
	}
	return j, begin(j)
}

// create makes sure that the file has no record. If one was begun, its process was killed, or the
// disk was full, just as the run was to begin.
func (j *Journal) create() error {
	const start = `{"seq":1,`
	text := make([]byte, len(start))
	n, _ := j.file.ReadAt(text, 0)
	line, err := readLines(j.file, lineBuffer).next()
	if line != nil || err != nil || !bytes.HasPrefix([]byte(start), text[:n]) {
		return ErrRun
	}
	if err := j.file.Truncate(0); err != nil {
		return err
	}
	return j.syncFolder(".")
}

// resume makes the journal continue at its end.
func (j *Journal) resume() error {
	l, err := j.readEarlier()
	if err != nil {
		return err
	}
	j.seq, j.sum, j.size = l.seq, l.sum, l.size
	return j.file.Truncate(j.size)
}

// readEarlier reads the journal to its end.
func (j *Journal) readEarlier() (*lines, error) {
	l := readLines(j.file, wholeBuffer)
	for mark, err := range l.records(j.name, []Kind{Run, Resumed, End}) {
		if err != nil {
			return nil, err
		}
		j.Earlier = append(j.Earlier, mark)
	}
	if l.seq == 0 {
		return nil, j.empty()
	}
	return l, nil
}

// Append is [Journal.Prepare] and [Journal.Write] in one.
func (j *Journal) Append(r *Record) error {
	if err := j.Prepare(r); err != nil {
		return err
	}
	return j.Write(r)
}

// Prepare makes a record ready for [Journal.Write], once: it masks its Data. It takes the time, and needs
// no order.
func (j *Journal) Prepare(r *Record) error {
	if bytes.IndexByte(r.Data, '\n') >= 0 {
		return fmt.Errorf("record %q of %q: its data has more than one line", r.Kind, r.Unit)
	}
	if r.Data != nil {
		r.Data = j.veil.hide(r.Data)
	}
	return nil
}

// Write writes a prepared record at the end. It sets its Seq, its At, and its Time if that is zero.
// When it returns, the record survives the death of this process; it survives a crash of the
// machine after a second, or after [Journal.Sync]. If it returns an error, nothing was written;
// after a full disk later records may be.
func (j *Journal) Write(r *Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		return j.broken
	}
	r.Seq, r.At = j.seq+1, j.size
	if r.Time.IsZero() {
		r.Time = time.Now().UTC()
	}
	if j.peeks {
		return nil
	}
	line, err := r.line()
	if err != nil {
		return err
	}
	sum := sumOf(j.sum, line)
	line = appendSum(line, sum)
	if _, err := j.file.Write(line); err != nil {
		if cut := j.file.Truncate(j.size); cut != nil { // what was written of the line
			j.broken = fmt.Errorf("%s: %w; and can't remove the incomplete last line: %w", j.name, err, cut)
		}
		return fmt.Errorf("%s: %w", j.name, err)
	}
	j.seq, j.sum, j.size = r.Seq, sum, j.size+int64(len(line))
	if j.later == nil {
		j.later = time.AfterFunc(syncAfter, func() { _ = j.Sync() }) // Write returns the error from now on
	}
	return nil
}

// Sync returns when everything that was appended before is on the disk. After an error it is
// not known what is on the disk, and nothing more can be appended.
func (j *Journal) Sync() error {
	j.mu.Lock()
	if j.later != nil {
		j.later.Stop()
		j.later = nil
	}
	j.mu.Unlock()
	err := j.toDisk(j.file)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil && j.broken == nil {
		j.broken = fmt.Errorf("%s: some data may not be on the disk: %w", j.name, err)
	}
	return j.broken
}

// syncFolder syncs the names in a folder.
func (j *Journal) syncFolder(name string) error {
	f, err := j.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(j.toDisk(f), f.Close())
}

// Close syncs the journal and lets other processes open it.
func (j *Journal) Close() error {
	if j.peeks {
		return j.Reader.Close()
	}
	return errors.Join(j.Sync(), j.Reader.Close())
}
