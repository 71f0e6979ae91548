package sdk

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"github.com/openai/openai-go/v3/option"
)

// A List is a field of a request's body that holds a list of which each part is
// encoded once, in the turn that brings it: the SDK would encode all of it again
// in each turn.
type List struct {
	Field string
	Of    []json.RawMessage // lists, of which this one is put together
}

// Encode writes some of the SDK's params as a list. They are made of texts, and of
// JSON that is whole, so that nothing can be wrong with them; what is, is no list.
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

// With returns an option that adds lists to a request of the SDK's, whose params
// have none of these fields.
func With(lists []List) option.RequestOption {
	return option.WithMiddleware(func(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		head, err := io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, err
		}
		body := join(head, lists)
		req.ContentLength = int64(len(body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		req.Body, _ = req.GetBody() // which never fails
		return next(req)
	})
}

// join adds lists to an object, which is not empty.
func join(object []byte, lists []List) []byte {
	size := len(object)
	for _, list := range lists {
		size += len(list.Field) + len(`,"":[]`)
		for _, part := range list.Of {
			size += len(part)
		}
	}
	body := append(make([]byte, 0, size), bytes.TrimSuffix(bytes.TrimSpace(object), []byte("}"))...)
	for _, list := range lists {
		body = append(append(append(body, `,"`...), list.Field...), `":[`...)
		empty := true
		for _, part := range list.Of {
			inner := bytes.TrimSuffix(bytes.TrimPrefix(part, []byte("[")), []byte("]"))
			if len(inner) == 0 || string(part) == "null" {
				continue
			}
			if !empty {
				body = append(body, ',')
			}
			empty = false
			body = append(body, inner...)
		}
		body = append(body, ']')
	}
	return append(body, '}')
}
