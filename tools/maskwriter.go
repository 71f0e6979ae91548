package tools

import "io"

// Writer returns a writer that masks what is written to it, and writes the result to w. It
// finds secrets that are split over writes: it holds back what may be the beginning of one
// until the next write or Close. Close does not close w.
func (m *Mask) Writer(w io.Writer) io.WriteCloser {
	return &maskWriter{mask: m, to: w}
}

type maskWriter struct {
	mask    *Mask
	to      io.Writer
	pending []byte
	out     []byte
	next    int // the length of pending from which on it is searched again
}

// muchPending is the number of pending bytes from which on a writer does not search them at each
// write, but when they have grown by an eighth, so that the work stays linear.
const muchPending = 512

func (w *maskWriter) Write(p []byte) (int, error) {
	if w.mask == nil {
		return w.to.Write(p)
	}
	in := p
	if len(w.pending) > 0 {
		w.pending = append(w.pending, p...)
		if len(w.pending) < w.next {
			return len(p), nil
		}
		in = w.pending
	}
	out, rest := w.mask.current().hide(w.out[:0], in, 0, false)
	w.out = out
	w.pending, w.next = append(w.pending[:0], rest...), 0
	if len(rest) >= muchPending {
		w.next = len(rest) + len(rest)/8
	}
	if _, err := w.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *maskWriter) Close() error {
	if w.mask == nil || len(w.pending) == 0 {
		return nil
	}
	out, _ := w.mask.current().hide(nil, w.pending, 0, true)
	w.pending = nil
	_, err := w.to.Write(out)
	return err
}
