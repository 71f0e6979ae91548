package tools

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

// Mask replaces secrets by ***. Nil masks nothing. It is safe for concurrent use.
//
// It protects against accidents, such as a key in an error message: a secret is found as it
// is, as JSON and URLs write it, and in base64 and hex without line breaks, wherever it is in
// the encoded text. Each longer line of a secret of several lines is a secret too. Values of
// less than six bytes are ignored: they would make any text unreadable, and protect nothing
// (the key of a local service may be "none"). So are parts of the words that results are
// written with, such as "succeeded", even if somebody declares one a secret. If two secrets
// overlap, the one that starts first is masked. The keys and tokens of well-known services
// are found by their shapes, whoever they belong to. A secret in any other form, such as
// backwards, is not found.
type Mask struct {
	found atomic.Pointer[patterns] // nil until somebody reads after a value was added

	adding sync.Mutex
	values []string // the secrets; guarded by adding
	added  int      // how many were added by Add; guarded by adding
}

const (
	masked         = "***"
	shortestSecret = 6
	shortestLine   = 8 // of a secret of several lines
	shortestBase64 = 8 // fewer characters of base64 occur in innocent text
)

// NewMask returns a mask for these values, and for all that looks like a token.
func NewMask(values []string) *Mask {
	return &Mask{values: slices.Clone(values)}
}

// maxAdded is how many secrets can be added to a mask. Each makes masking slower.
const maxAdded = 1000

// Add adds a secret, which is masked from now on. It returns an error if there are too
// many. On a nil Mask it does nothing.
func (m *Mask) Add(value string) error {
	if m == nil || len(value) < shortestSecret {
		return nil
	}
	m.adding.Lock()
	defer m.adding.Unlock()
	switch {
	case slices.Contains(m.values, value):
		return nil
	case m.added == maxAdded:
		return fmt.Errorf("more than %s secrets appeared during the run", quantity.Thousands(maxAdded))
	}
	m.added++
	m.values = append(m.values, value)
	m.found.Store(nil) // whoever reads next makes them, once for all that came meanwhile
	return nil
}

// patterns returns all that the mask looks for now.
func (m *Mask) patterns() *patterns {
	if found := m.found.Load(); found != nil {
		return found
	}
	m.adding.Lock()
	defer m.adding.Unlock()
	found := newPatterns(m.values)
	m.found.Store(found)
	return found
}

// String returns s with its secrets masked.
func (m *Mask) String(s string) string {
	if m == nil {
		return s
	}
	return m.patterns().replace(s, nil, func(string) string { return masked })
}

// before returns the last index up to end at which b can be cut without cutting a secret.
func (m *Mask) before(b []byte, end int) int {
	if m == nil || end >= len(b) {
		return end
	}
	return m.patterns().before(string(b), end)
}

// Writer returns a writer that masks what is written to it, and writes the result to w. It
// finds secrets that are split over writes: it holds back the last line until the next write or
// Close, and more where a secret of several lines may begin. Close does not close w.
func (m *Mask) Writer(w io.Writer) io.WriteCloser {
	return &maskWriter{mask: m, to: w}
}

type maskWriter struct {
	mask    *Mask
	to      io.Writer
	pending []byte
}

// maxPending is how much of a line is held back.
const maxPending = 64 << 10

func (w *maskWriter) Write(p []byte) (int, error) {
	if w.mask == nil {
		return w.to.Write(p)
	}
	w.pending = append(w.pending, p...)
	found := w.mask.patterns()
	if bytes.IndexByte(p, '\n') >= 0 || len(w.pending) > maxPending+found.longest {
		if err := w.flush(found, found.end(w.pending)); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// flush writes what is pending up to end, or to a secret that goes on behind that.
func (w *maskWriter) flush(found *patterns, end int) error {
	text, end := found.masked(string(w.pending), end)
	if end == 0 {
		return nil
	}
	w.pending = append(w.pending[:0], w.pending[end:]...)
	_, err := io.WriteString(w.to, text)
	return err
}

func (w *maskWriter) Close() error {
	if w.mask == nil {
		return nil
	}
	return w.flush(w.mask.patterns(), len(w.pending))
}
