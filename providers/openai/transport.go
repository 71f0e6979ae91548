package openai

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// A transport makes the connections of OpenAI's client, within the limits of package wire,
// and converts streams to what the client understands.
type transport struct {
	client *wire.Client
	query  string // of the base URL
}

// Do sends req. Its errors are all a [*providers.Error].
func (t *transport) Do(req *http.Request) (*http.Response, error) {
	for name := range req.Header {
		if strings.HasPrefix(name, "X-Stainless-") { // they describe this machine
			delete(req.Header, name)
		}
	}
	req.Header.Set("Accept", "text/event-stream")
	req.URL.RawQuery = t.query
	res, err := t.client.Do(req)
	if err != nil {
		return nil, err
	}
	res.Body = wire.Framed(res, t.plain)
	return res, nil
}

// plain returns the data of an event as OpenAI's client understands it. A document instead
// of a stream becomes a last event with that response.
func (t *transport) plain(e wire.Event) ([]byte, error) {
	switch valid := json.Valid(e.Data); {
	case e.IsDone():
		return e.Data, nil
	case e.Bare && valid:
		return wire.JSON(map[string]json.RawMessage{"type": wire.JSON(eventDone), "response": e.Data}), nil
	case e.Bare:
		return nil, t.client.Nonsense("the response is not JSON")
	case e.Name == "error":
		return errorData(e.Data), nil
	case e.Cut && !valid:
		return nil, t.client.Cut()
	case !valid || !bytes.HasPrefix(bytes.TrimSpace(e.Data), []byte("{")):
		return nil, t.client.Nonsense("malformed event in the response stream")
	}
	return withoutEmptyError(e.Data), nil
}

// errorData returns the data of an event that may be an error only by its name.
func errorData(data []byte) []byte {
	var e struct {
		Type  string          `json:"type"`
		Error json.RawMessage `json:"error"`
	}
	switch err := json.Unmarshal(data, &e); {
	case err != nil && !json.Valid(data):
		data = wire.JSON(string(data))
	case e.Type == "error" || wire.IsSet(e.Error):
		return data
	}
	return wire.JSON(map[string]json.RawMessage{"error": data})
}

// withoutEmptyError removes an empty error, which some services send with every event: the
// client ends the stream at that field.
func withoutEmptyError(data []byte) []byte {
	fields := map[string]json.RawMessage{}
	if !bytes.Contains(data, []byte(`"error"`)) || json.Unmarshal(data, &fields) != nil {
		return data
	}
	if empty, there := fields["error"]; !there || wire.IsSet(empty) {
		return data
	}
	delete(fields, "error")
	return wire.JSON(fields)
}
