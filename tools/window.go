package tools

// window keeps the head of a stream of lines, its tail, or both, and counts the rest. Its
// memory does not depend on the length of the stream.
type window struct {
	maxLines, maxBytes   int // limits of all that is kept
	headLines, headBytes int // limits of the head
	keepTail             bool

	all       part // without text
	full      bool // the head takes no more lines
	head      part
	tail      []part // of a line each
	tailShown int
	spare     []byte // of a line that was dropped
}

// part is a number of lines, their bytes as they came, and how they are shown.
type part struct {
	lines, bytes, shown int64
	text                []byte
}

func newWindow(l Limits) window {
	w := window{maxLines: l.Lines, maxBytes: l.Bytes}
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
	return w.all.lines > int64(w.maxLines) || w.all.shown > int64(w.maxBytes)
}

// add adds a line, which came as so many bytes.
func (w *window) add(line []byte, bytesOf int64) {
	w.all.count(1, bytesOf, len(line))
	w.full = w.full || w.head.lines >= int64(w.headLines) || len(w.head.text)+len(line) > w.headBytes
	switch {
	case !w.full:
		w.head.count(1, bytesOf, len(line))
		w.head.text = append(w.head.text, line...)
	case w.keepTail:
		w.tail = append(w.tail, part{1, bytesOf, int64(len(line)), append(w.spare, line...)})
		w.spare = nil
		w.tailShown += len(line)
		w.trim(w.maxLines, w.maxBytes)
	}
}

// trim drops lines of the tail until it has at most so many.
func (w *window) trim(lines, shown int) {
	for len(w.tail) > lines || w.tailShown > shown {
		w.tailShown -= len(w.tail[0].text)
		w.spare = w.tail[0].text[:0]
		w.tail = w.tail[1:]
	}
}

func (p *part) count(lines, bytesOf int64, shown int) {
	p.lines += lines
	p.bytes += bytesOf
	p.shown += int64(shown)
}

// lastLines returns the lines of the tail for which there is room beside the head.
func (w *window) lastLines() (last part) {
	w.trim(w.maxLines-int(w.head.lines), w.maxBytes-len(w.head.text))
	for _, line := range w.tail {
		last.count(1, line.bytes, len(line.text))
		last.text = append(last.text, line.text...)
	}
	return last
}
