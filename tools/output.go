package tools

import (
	"io"
	"sync"
)

// Output gets the output of a call, and keeps the part of it that the model is shown.
// However much is written, it uses little more memory than its limits. If a limit is
// exceeded, the whole output goes to a file.
//
// It is safe for concurrent writes, such as of a command's standard output and standard
// error.
type Output struct {
	mu     sync.Mutex
	closed bool
	mask   io.WriteCloser // writes to take
	all    *Mask          // what mask hides
	reveal bool
	copy   io.Writer // may be nil
	hint   string

	file  spillFile
	lines shownLines
}

// OutputOptions say what part of an output is kept, and where the whole output goes.
type OutputOptions struct {
	Limits Limits
	Spill  Spill  // nil does not keep the whole output
	Mask   *Mask  // nil masks nothing
	Hint   string // the end of the sentence that names the file: what to do with it

	// Reveal does not mask the text, which is then for the program and not for a model.
	// The file is masked all the same.
	Reveal bool

	// Copy gets all that is written, unmasked, if it is not nil. Its errors are returned
	// by Write.
	Copy io.Writer
}

// Spill creates the file for a whole output. path is the path that the model is told. It is
// called at most once, when a limit is exceeded.
type Spill func() (file io.WriteCloser, path string, err error)

// outputChunk is how many bytes are processed at a time, so that one huge write uses no
// more memory than many small ones.
const outputChunk = 32 << 10

// NewOutput returns an empty output. [Output.Close] ends it.
func NewOutput(o OutputOptions) *Output {
	limits := o.Limits.or(defaultLimits)
	out := &Output{hint: o.Hint, reveal: o.Reveal, all: o.Mask, copy: o.Copy, file: spillFile{open: o.Spill}, lines: newShownLines(limits)}
	if o.Reveal {
		out.lines.secrets = o.Mask
	}
	out.mask = o.Mask.Writer(writerFunc(out.addMasked))
	return out
}

// Hide masks a text of which a part is to be written, before it is cut: the mask of the output
// does not find a part of a secret.
func (o *Output) Hide(text string) string { return o.all.String(text) }

type writerFunc func(p []byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

// Write adds to the output. It returns an error only if the output is closed, and for Copy.
// If the disk is full the text says so.
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

// addMasked gets the masked output.
func (o *Output) addMasked(p []byte) {
	o.file.add(p)
	if !o.reveal {
		o.lines.write(p)
	}
	if o.lines.truncated() {
		o.file.start()
	}
}

// Close ends the output, and returns what was kept. The only error is [io.ErrClosedPipe], of
// a second call. If the disk failed, the text says what is lost, and why.
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
