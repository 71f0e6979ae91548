package tools

import "bytes"

// window keeps the head of a stream of lines, its tail, or both, and counts the rest. Its
// memory does not depend on the length of the stream.
type window struct {
	mostLines, mostBytes int // limits of all that is kept
	headLines, headBytes int // limits of the head
	keepTail             bool

	total tally
	full  bool // the head takes no more lines
	head  part
	tail  []byte // ends with the last line; its front is cut off from time to time
	seen  int64  // bytes that went through the tail
	odd   []oddLine
}

// tally counts lines, their bytes as they came, and their bytes as they are shown.
type tally struct{ lines, bytes, shown int64 }

type part struct {
	tally
	text []byte
}

// oddLine is a line of the tail that is shown with another length than it came.
type oddLine struct {
	end   int64 // in the stream of shown bytes
	extra int64 // the difference in bytes
}

func newWindow(l Limits) window {
	w := window{mostLines: l.Lines, mostBytes: l.Bytes}
	switch l.Keep {
	case KeepTail:
		w.keepTail, w.full = true, true
	case KeepBoth:
		w.keepTail, w.headLines, w.headBytes = true, l.Lines/2, l.Bytes/2
	default:
		w.headLines, w.headBytes = l.Lines, l.Bytes
	}
	return w
}

// over reports whether more has come than is kept.
func (w *window) over() bool {
	return w.total.lines > int64(w.mostLines) || w.total.shown > int64(w.mostBytes)
}

// add adds whole lines, which came as so many bytes. If that is not their length, it has to
// be one line. Only the last line of the stream may lack a newline.
func (w *window) add(p []byte, bytes int64) {
	extra := bytes - int64(len(p))
	w.total.count(p, extra)
	for !w.full && len(p) > 0 {
		line := p[:lineEnd(p)]
		if w.head.lines >= int64(w.headLines) || len(w.head.text)+len(line) > w.headBytes {
			w.full = true
			break
		}
		w.head.text = append(w.head.text, line...)
		w.head.count(line, extra)
		p = p[len(line):]
	}
	if w.keepTail && len(p) > 0 {
		w.extendTail(p, extra)
	}
}

func (t *tally) count(p []byte, extra int64) {
	t.lines += countLines(p)
	t.shown += int64(len(p))
	t.bytes += int64(len(p)) + extra
}

func countLines(p []byte) int64 {
	n := int64(bytes.Count(p, []byte{'\n'}))
	if len(p) > 0 && p[len(p)-1] != '\n' {
		n++
	}
	return n
}

// lineEnd returns the length of the first line of p, newline included.
func lineEnd(p []byte) int {
	if i := bytes.IndexByte(p, '\n'); i >= 0 {
		return i + 1
	}
	return len(p)
}

func (w *window) extendTail(p []byte, extra int64) {
	w.tail = append(w.tail, p...)
	w.seen += int64(len(p))
	if extra != 0 {
		w.odd = append(w.odd, oddLine{end: w.seen, extra: extra})
	}
	if len(w.tail) > 2*w.mostBytes+outputChunk {
		w.compact()
	}
}

// compact drops from the tail what can't be kept. One byte more than the limit stays, so
// that a line which is cut at the front is too long to be kept.
func (w *window) compact() {
	n := copy(w.tail, w.tail[len(w.tail)-w.mostBytes-1:])
	w.tail = w.tail[:n]
	first := w.seen - int64(n)
	gone := 0
	for gone < len(w.odd) && w.odd[gone].end <= first {
		gone++
	}
	w.odd = append(w.odd[:0], w.odd[gone:]...)
}

// lastLines returns the lines of the tail for which there is room beside the head.
func (w *window) lastLines() part {
	room, lines := w.mostBytes-len(w.head.text), int64(w.mostLines)-w.head.lines
	var last part
	start := len(w.tail)
	for start > 0 && last.lines < lines {
		before := bytes.LastIndexByte(w.tail[:start-1], '\n') + 1
		if len(w.tail)-before > room {
			break
		}
		start = before
		last.lines++
	}
	last.text = w.tail[start:]
	last.shown = int64(len(last.text))
	last.bytes = last.shown
	for _, o := range w.odd {
		if o.end > w.seen-last.shown {
			last.bytes += o.extra
		}
	}
	return last
}
