package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

// A Cost is an amount in USD, or unknown, which is null: never a guess.
type Cost struct {
	USD   float64
	Known bool
}

// String returns the amount with its significant digits, such as $0.0125, or unknown.
func (c Cost) String() string {
	if !c.Known {
		return "unknown"
	}
	return quantity.Dollars(c.USD)
}

// MarshalJSON writes the amount, or null.
func (c Cost) MarshalJSON() ([]byte, error) {
	if !c.Known {
		return []byte("null"), nil
	}
	return json.Marshal(c.USD)
}

// UnmarshalJSON reads an amount, or null.
func (c *Cost) UnmarshalJSON(data []byte) error {
	c.Known = string(data) != "null"
	if !c.Known {
		return nil
	}
	return json.Unmarshal(data, &c.USD)
}

// Values are named values in the file's order.
type Values []NamedValue

// A NamedValue is one of [Values].
type NamedValue struct {
	Name  string
	Value any
}

// MarshalJSON writes an object whose keys keep the order.
func (v Values) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, named := range v {
		key, _ := jsonline.Encode(named.Name) // a string has JSON
		data, err := jsonline.Encode(named.Value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%s%s:%s", comma(i), key, data)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func (v Values) asMap() map[string]any {
	values := make(map[string]any, len(v))
	for _, named := range v {
		values[named.Name] = named.Value
	}
	return values
}

// text returns the values for a person.
func (v Values) text() string {
	if len(v) == 1 {
		return Text(v[0].Value)
	}
	var b strings.Builder
	for _, named := range v {
		fmt.Fprintf(&b, "%s: %s\n", named.Name, Text(named.Value))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Text returns a value for a person: a string as it is, anything else as JSON.
func Text(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	}
	data, err := jsonline.Encode(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}

// UnmarshalJSON reads an object, and keeps the order of its keys.
func (v *Values) UnmarshalJSON(data []byte) error {
	if *v = nil; string(data) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return fmt.Errorf("expected an object, not %.40s", data)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return fmt.Errorf("%v: %w", name, err)
		}
		*v = append(*v, NamedValue{fmt.Sprint(name), jsonline.ExactNumbers(value)})
	}
	return nil
}

func deref[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}
