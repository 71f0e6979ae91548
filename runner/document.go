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

// extended writes an object that has a field, and one more of that name, whose value more
// writes.
func (d *document) extended(depth int, object any, name string, more func(depth int)) {
	end := "\n" + strings.Repeat(indent, depth) + "}"
	d.text(strings.TrimSuffix(d.indented(depth, object), end) + ",")
	d.line(depth + 1)
	d.name(depth+1, name)
	more(depth + 1)
	d.text(end)
}

// name writes the name of a field.
func (d *document) name(depth int, name string) {
	d.value(depth, name)
	d.text(": ")
}

// each writes items in brackets or braces, each on a line of its own.
func (d *document) each(depth int, brackets string, count int, item func(depth, i int)) {
	d.text(brackets[:1])
	for i := range count {
		if i > 0 {
			d.text(",")
		}
		d.line(depth + 1)
		if item(depth+1, i); d.err != nil {
			return
		}
	}
	if count > 0 {
		d.line(depth)
	}
	d.text(brackets[1:])
}

// elements writes a list.
func (d *document) elements(depth int, e *elements) {
	d.mask = cmp.Or(d.mask, e.mask)
	d.each(depth, "[]", e.count(), func(depth, i int) { d.element(depth, e, i) })
}

// element writes an element: as the journal has it, where that is how it is written.
func (d *document) element(depth int, e *elements, i int) {
	data, err := e.written(i)
	if d.fail(err); data != nil {
		d.text(d.laidOut(depth, data))
		return
	}
	element, err := e.element(i)
	if d.fail(err); d.err == nil {
		element.write(d, depth)
	}
}

// steps writes an object by the steps' paths, whose keys keep the order.
func (d *document) steps(depth int, results StepResults) {
	d.each(depth, "{}", len(results), func(depth, i int) {
		d.name(depth, results[i].path)
		results[i].write(d, depth)
	})
}
