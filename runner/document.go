package runner

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A document is JSON that is written piece by piece, indented, so that no more
// than a piece of it is in memory. It stops at the first error.
type document struct {
	w    io.StringWriter
	mask *tools.Mask // over each piece; nil hides nothing
	err  error
}

// indent is the indentation of each level.
const indent = "  "

// writeDocument writes to w what fill writes, and a newline.
func writeDocument(w io.Writer, mask *tools.Mask, fill func(d *document, depth int)) error {
	out := bufio.NewWriter(w)
	d := &document{w: out, mask: mask}
	fill(d, 0)
	d.text("\n")
	d.fail(out.Flush())
	return d.err
}

// marshal is what fill writes, in memory.
func marshal(fill func(d *document, depth int)) ([]byte, error) {
	var out bytes.Buffer
	d := &document{w: &out}
	fill(d, 0)
	return out.Bytes(), d.err
}

// fail keeps the first error.
func (d *document) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

func (d *document) text(s string) {
	if d.err == nil {
		_, d.err = d.w.WriteString(s)
	}
}

// line begins a line.
func (d *document) line(depth int) { d.text("\n" + strings.Repeat(indent, depth)) }

// value writes a value whole.
func (d *document) value(depth int, value any) {
	if d.err != nil {
		return
	}
	d.text(d.indented(depth, value))
}

// indented is a value whole, with its secrets hidden.
func (d *document) indented(depth int, value any) string {
	data, err := jsonline.Encode(value)
	d.fail(err)
	return d.laidOut(depth, data)
}

// laidOut is JSON, indented and with its secrets hidden.
func (d *document) laidOut(depth int, data []byte) string {
	if d.err != nil {
		return ""
	}
	var b bytes.Buffer
	b.Grow(2 * len(data))
	d.fail(json.Indent(&b, d.mask.JSON(data), strings.Repeat(indent, depth), indent))
	return b.String()
}

// open writes an object that has a field, but for its end: more may follow.
func (d *document) open(depth int, object any) {
	d.text(strings.TrimSuffix(d.indented(depth, object), "\n"+strings.Repeat(indent, depth)+"}"))
}

// field begins another field of an open object.
func (d *document) field(depth int, name string) {
	d.text(",")
	d.key(depth, name)
}

func (d *document) key(depth int, name string) {
	d.line(depth)
	d.value(depth, name)
	d.text(": ")
}

// elements writes a list.
func (d *document) elements(depth int, e *elements) {
	d.mask = cmp.Or(d.mask, e.mask)
	d.text("[")
	for i := range e.count {
		if i > 0 {
			d.text(",")
		}
		d.line(depth + 1)
		if d.element(depth+1, e, i); d.err != nil {
			return
		}
	}
	if e.count > 0 {
		d.line(depth)
	}
	d.text("]")
}

// element writes an element: as the shelf has it, where that is how it is written.
func (d *document) element(depth int, e *elements, i int) {
	if shelf, ok := e.shelf.(*journalShelf); ok {
		data, err := shelf.written(i)
		if d.fail(err); data != nil {
			d.text(d.laidOut(depth, data))
			return
		}
	}
	element, err := e.element(i)
	if d.fail(err); d.err == nil {
		element.write(d, depth)
	}
}

// steps writes an object by the steps' paths, whose keys keep the order.
func (d *document) steps(depth int, results StepResults) {
	d.text("{")
	for i, r := range results {
		if i > 0 {
			d.text(",")
		}
		d.key(depth+1, r.path)
		r.write(d, depth+1)
	}
	if len(results) > 0 {
		d.line(depth)
	}
	d.text("}")
}
