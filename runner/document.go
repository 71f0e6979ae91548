package runner

import (
	"bufio"
	"bytes"
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
	data, err := jsonline.Encode(value)
	if err != nil {
		d.fail(err)
		return
	}
	d.json(depth, d.mask.JSON(data))
}

// json writes what is encoded and masked already.
func (d *document) json(depth int, data []byte) {
	if d.err != nil {
		return
	}
	var b bytes.Buffer
	if err := json.Indent(&b, data, strings.Repeat(indent, depth), indent); err != nil {
		d.fail(err)
		return
	}
	d.text(b.String())
}

// open writes an object that has a field, but for its end: more may follow.
func (d *document) open(depth int, object any) {
	data, err := jsonline.Encode(object)
	if err != nil {
		d.fail(err)
		return
	}
	var b bytes.Buffer
	prefix := strings.Repeat(indent, depth)
	if err := json.Indent(&b, d.mask.JSON(data), prefix, indent); err != nil {
		d.fail(err)
		return
	}
	d.text(strings.TrimSuffix(b.String(), "\n"+prefix+"}"))
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
	d.text("[")
	for i := range e.count {
		if d.err != nil {
			return
		}
		if i > 0 {
			d.text(",")
		}
		d.line(depth + 1)
		data, err := e.written(i)
		if err != nil {
			d.fail(err)
		}
		d.json(depth+1, data)
	}
	if e.count > 0 {
		d.line(depth)
	}
	d.text("]")
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
