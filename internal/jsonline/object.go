// Package jsonline is JSON as flow writes it and reads it back. [Encode] writes any value on one
// line, without HTML escapes. An [Object] writes what is written often and at length, the messages
// of conversations, member by member into one buffer, at a fraction of the cost.
//
//	var o jsonline.Object
//	o.Text("type", "turn_started")
//	o.Int("turn", 3)
//	line, err := o.Line() // {"type":"turn_started","turn":3}
//
// The caller must not write a name twice. [ExactNumbers] keeps the digits of what is read.
package jsonline

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// An Object is a JSON object that is being written. Its zero value is empty. It is
// for one goroutine.
type Object struct {
	out   bytes.Buffer
	begun bool
	err   error
}

// name writes a name and a colon.
func (o *Object) name(name string) []byte {
	b := o.out.AvailableBuffer()
	if !o.begun {
		o.begun = true
		b = append(b, '{')
	} else {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, name...) // our own names have nothing to escape
	return append(b, '"', ':')
}

// Text writes a string.
func (o *Object) Text(name, value string) {
	o.out.Grow(len(name) + len(value) + len(value)/8 + 16) // so that it is not copied, as a rule
	o.out.Write(AppendString(o.name(name), value))
}

// TextIf writes a string that is not empty.
func (o *Object) TextIf(name, value string) {
	if value != "" {
		o.Text(name, value)
	}
}

// Int writes a number.
func (o *Object) Int(name string, value int64) {
	o.out.Write(strconv.AppendInt(o.name(name), value, 10))
}

// Bool writes true or false.
func (o *Object) Bool(name string, value bool) {
	o.out.Write(strconv.AppendBool(o.name(name), value))
}

// JSON writes a value that is JSON already, without its white space, which may contain
// newlines.
func (o *Object) JSON(name string, value []byte) {
	o.out.Write(o.name(name))
	if err := json.Compact(&o.out, value); err != nil && o.err == nil {
		o.err = err
	}
}

// Float writes a number.
func (o *Object) Float(name string, value float64) {
	data, err := json.Marshal(value)
	if err != nil {
		o.Fail(err)
		return
	}
	o.out.Write(append(o.name(name), data...))
}

// List writes a list of objects, each by the function.
func (o *Object) List(name string, length int, each func(element *Object, i int)) {
	o.out.Write(append(o.name(name), '['))
	for i := range length {
		if i > 0 {
			o.out.WriteByte(',')
		}
		o.inner(func(element *Object) { each(element, i) })
	}
	o.out.WriteByte(']')
}

// Object writes an object, by the function.
func (o *Object) Object(name string, write func(inner *Object)) {
	o.out.Write(o.name(name))
	o.inner(write)
}

// inner writes an object into the same buffer.
func (o *Object) inner(write func(*Object)) {
	begun := o.begun
	o.begun = false
	write(o)
	o.end()
	o.begun = begun
}

func (o *Object) end() {
	if !o.begun {
		o.out.WriteByte('{')
	}
	o.out.WriteByte('}')
}

// Fail makes [Object.Line] return err, unless the object failed before.
func (o *Object) Fail(err error) {
	if o.err == nil {
		o.err = err
	}
}

// Line ends the object and returns it, without a newline, or its first error. The result
// shares memory with the object, which must not be written to any more.
func (o *Object) Line() ([]byte, error) {
	o.end()
	return o.out.Bytes(), o.err
}
