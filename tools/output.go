package tools

import (
	"io"
	"sync"
)

// An Output takes what a call prints and keeps a part of it: what the model is
// to see. However much is written, it holds little more memory than its
// limits. Where a limit is passed, the whole goes to a file.
//
// It is safe for concurrent writes, such as a command's standard output and
// standard error.
type Output struct {
	mu     sync.Mutex
	closed bool
	mask   io.WriteCloser // what is written to it reaches take
	reveal bool
	copy   io.Writer // nil for none
	hint   string

	file  spillFile
	lines shownLines
}

// OutputOptions say what part of an output is kept, and where the whole of it
// goes.
type OutputOptions struct {
	Limits Limits
	Spill  Spill  // nil keeps no whole output
	Mask   *Mask  // nil masks nothing
	Hint   string // ends the sentence that names the file: what to do with it

	// Reveal leaves the text as it came: it is for the program, not for a
	// model. The file is masked all the same.
	Reveal bool

	// Copy gets all that is written, as it came; nil is for nobody. Its error
	// is that of the write.
	Copy io.Writer
}

// A Spill creates the file that takes a whole output. The path is the one that
// the model is told. It is called once at most, when a limit is passed.
type Spill func() (file io.WriteCloser, path string, err error)

// outputChunk bounds what is copied at a time, so that one huge write costs no
// more memory than many small ones.
const outputChunk = 32 << 10

// NewOutput returns an empty output. [Output.Close] ends it.
func NewOutput(o OutputOptions) *Output {
	limits := o.Limits.or(defaultLimits)
	out := &Output{hint: o.Hint, reveal: o.Reveal, copy: o.Copy, file: spillFile{open: o.Spill}, lines: newShownLines(limits)}
	if o.Reveal {
		out.lines.secrets = o.Mask
	}
	out.mask = o.Mask.Writer(writerFunc(out.take))
	return out
}

type writerFunc func(p []byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

// Write takes p. A disk that is full does not stop it; the text says so.
// The errors are those of a closed output and of a copy.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return 0, io.ErrClosedPipe
	}
	for rest := p; len(rest) > 0; {
		n := min(len(rest), outputChunk)
		if err := o.write(rest[:n]); err != nil {
			return len(p) - len(rest), err
		}
		rest = rest[n:]
	}
	return len(p), nil
}

func (o *Output) write(p []byte) error {
	if o.copy != nil {
		if _, err := o.copy.Write(p); err != nil {
			return err
		}
	}
	if o.reveal {
		o.lines.write(p)
	}
	_, err := o.mask.Write(p)
	return err
}

// take gets what was written, masked.
func (o *Output) take(p []byte) {
	o.file.take(p)
	if !o.reveal {
		o.lines.write(p)
	}
	if o.lines.truncated() {
		o.file.start()
	}
}

// Close ends the output and says what was kept of it. A disk that failed is no
// error: the text says what is lost, and why. The only error is
// [io.ErrClosedPipe], of a second call.
func (o *Output) Close() (Text, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return Text{}, io.ErrClosedPipe
	}
	o.closed = true
	if err := o.mask.Close(); err != nil {
		return Text{}, err
	}
	o.lines.finish()
	if o.lines.truncated() {
		o.file.start()
	}
	o.file.close()
	return o.text(), nil
}
