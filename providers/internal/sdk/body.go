package sdk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// A Body is a request for a stream: the SDK's params, and the lists that they
// lack.
type Body struct {
	Params json.Marshaler
	Lists  []List
}

// A List is a field of a request's body that holds a list of which each part is
// encoded once, in the turn that brings it: with the other params, all of it
// would be encoded again in each turn.
type List struct {
	Field string
	Of    []json.RawMessage // lists, of which this one is put together
}

// Encode writes some of the SDK's params as a list. It is nil where that can't be:
// they hold JSON of somebody else's that is none.
func Encode[T json.Marshaler](params []T) json.RawMessage {
	list := []byte{'['}
	for i, one := range params {
		if i > 0 {
			list = append(list, ',')
		}
		encoded, err := one.MarshalJSON()
		if err != nil {
			return nil
		}
		list = append(list, encoded...)
	}
	return append(list, ']')
}

func (b Body) encode() ([]byte, error) {
	params, err := b.Params.MarshalJSON()
	if err != nil {
		return nil, err
	}
	for _, list := range b.Lists {
		if slices.ContainsFunc(list.Of, func(part json.RawMessage) bool { return part == nil }) {
			return nil, fmt.Errorf("%s: a part is no JSON", list.Field)
		}
	}
	return join(params, b.Lists), nil
}

// join adds to an object, which is not empty, that the answer is to be streamed,
// and the lists.
func join(object []byte, lists []List) []byte {
	const stream = `,"stream":true`
	size := len(object) + len(stream)
	for _, list := range lists {
		size += len(list.Field) + len(`,"":[]`)
		for _, part := range list.Of {
			size += len(part)
		}
	}
	body := append(make([]byte, 0, size), bytes.TrimSuffix(bytes.TrimSpace(object), []byte("}"))...)
	body = append(body, stream...)
	for _, list := range lists {
		body = append(append(append(body, `,"`...), list.Field...), `":`...)
		body = wire.AppendList(body, list.Of)
	}
	return append(body, '}')
}
