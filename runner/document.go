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

// MarshalJSON returns the contents of run.json, with secrets not hidden.
func (r *Result) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	err := r.WriteJSON(&out, nil)
	return out.Bytes(), err
}

// WriteJSON writes the contents of run.json with mask applied; nil hides nothing. It is indented, with
// each element of a foreach on one line, and no more than one of them is in memory.
func (r *Result) WriteJSON(w io.Writer, mask *tools.Mask) error {
	type fields Result // without the methods
	d := &document{w: bufio.NewWriter(w), mask: mask}
	d.open(0, (*fields)(r))
	d.text(",\n  \"steps\": {")
	for i, step := range r.Steps {
		d.next(2, i)
		d.value(2, step.path)
		d.text(": ")
		d.step(2, step)
	}
	d.close(1, len(r.Steps), "}")
	d.text("\n}\n")
	if d.err != nil {
		return d.err
	}
	return d.w.Flush()
}

// A document is JSON that is written piece by piece. It stops at the first error.
type document struct {
	w    *bufio.Writer
	mask *tools.Mask // over each piece; nil hides nothing
	err  error
}

func (d *document) step(depth int, r *StepResult) {
	if !r.listsElements() {
		d.value(depth, r.fieldsShown())
		return
	}
	d.open(depth, r.fieldsShown())
	d.text(",\n" + indentation(depth+1) + `"results": [`)
	n, mask := r.elements.count(), cmp.Or(d.mask, r.elements.mask)
	for i := range n {
		line, err := r.elements.line(i)
		if d.fail(err); d.err != nil {
			return
		}
		d.next(depth+2, i)
		d.text(string(mask.JSON(line)))
	}
	d.close(depth+1, n, "]")
	d.text("\n" + indentation(depth) + "}")
}

// value writes a value whole.
func (d *document) value(depth int, value any) { d.text(string(d.indented(depth, value))) }

// open writes an object that has a member, without its end.
func (d *document) open(depth int, object any) {
	d.text(string(bytes.TrimSuffix(d.indented(depth, object), []byte("\n"+indentation(depth)+"}"))))
}

// next begins the i-th line of a list.
func (d *document) next(depth, i int) {
	if i > 0 {
		d.text(",")
	}
	d.text("\n" + indentation(depth))
}

// close ends a list of n lines.
func (d *document) close(depth, n int, bracket string) {
	if n > 0 {
		d.text("\n" + indentation(depth))
	}
	d.text(bracket)
}

func (d *document) indented(depth int, value any) []byte {
	var out bytes.Buffer
	data, err := jsonline.Encode(value)
	if d.fail(err); d.err == nil {
		d.fail(json.Indent(&out, d.mask.JSON(data), indentation(depth), "  "))
	}
	return out.Bytes()
}

func (d *document) text(s string) {
	if d.err == nil {
		_, d.err = d.w.WriteString(s)
	}
}

// fail keeps the first error.
func (d *document) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

func indentation(depth int) string { return strings.Repeat("  ", depth) }

// MarshalJSON writes an object whose keys are the paths, in the order of the steps.
func (s StepResults) MarshalJSON() ([]byte, error) {
	return orderedObject(len(s), func(i int) (string, any) { return s[i].path, s[i] })
}

// orderedObject returns the JSON of an object with n members, in their order.
func orderedObject(n int, member func(i int) (name string, value any)) ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i := range n {
		name, value := member(i)
		key, _ := jsonline.Encode(name) // a string has JSON
		data, err := jsonline.Encode(value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(data)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
