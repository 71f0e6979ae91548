package providers

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// An ordered is a JSON object that keeps the order of its members: a model writes
// properties in the order in which a schema has them.
type ordered []member

type member struct {
	key   string
	value any // ordered, []any, string, json.Number, bool or nil
}

func (o ordered) get(key string) (any, bool) {
	for _, m := range o {
		if m.key == key {
			return m.value, true
		}
	}
	return nil, false
}

// without returns the object without the given keys.
func (o ordered) without(keys ...string) ordered {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return slices.Contains(keys, m.key) })
}

// MarshalJSON writes the members in their order.
func (o ordered) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		key, _ := jsonline.Encode(m.key) // both were decoded from JSON, or are plain
		value, _ := jsonline.Encode(m.value)
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// decodeOrdered decodes JSON, which must be valid.
func decodeOrdered(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return decodeValue(decoder)
}

func decodeValue(decoder *json.Decoder) any {
	token, _ := decoder.Token()
	switch token {
	case json.Delim('{'):
		object := ordered{}
		for decoder.More() {
			token, _ := decoder.Token()
			key, _ := token.(string)
			object = append(object.without(key), member{key, decodeValue(decoder)}) // of a key that comes twice the last one counts
		}
		decoder.Token()
		return object
	case json.Delim('['):
		array := []any{}
		for decoder.More() {
			array = append(array, decodeValue(decoder))
		}
		decoder.Token()
		return array
	}
	return token
}
