package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/a-seed-11b9befa/flow/providers"
)

const maxErrorBody = 1 << 20 // bytes that are read of a refusal's body

func (c *Client) refusal(res *http.Response) *providers.Error {
	// An error of reading only makes the message shorter.
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	if res.StatusCode < 400 {
		return &providers.Error{
			Kind: providers.KindProvider, Model: c.at.Ref, Status: res.StatusCode,
			Message: "the response is a redirect, which flow does not follow; check the base URL",
		}
	}
	return c.masked(providers.ErrorFromResponse(c.at.Ref, res.StatusCode, res.Header, body))
}

// Broken returns the error for a request that got no answer, or one that broke off, because
// of err. If ctx has ended it is that of [providers.Cancelled].
func (c *Client) Broken(ctx context.Context, err error) *providers.Error {
	if ctx.Err() != nil {
		return providers.Cancelled(ctx, c.at.Ref)
	}
	if errors.Is(err, errTooMuch) {
		return c.useless(err.Error())
	}
	return c.masked(providers.ErrorFromTransport(c.at.Ref, err))
}

// Cut returns the error for a stream that ended without its mark of the end.
func (c *Client) Cut() *providers.Error {
	return &providers.Error{
		Kind: providers.KindNetwork, Model: c.at.Ref, Retryable: true,
		Message: "the response stream was cut off", Err: io.ErrUnexpectedEOF,
	}
}

// Failed returns the error for an error body inside an answer that had begun.
func (c *Client) Failed(data []byte) *providers.Error {
	return c.masked(providers.ErrorFromResponse(c.at.Ref, http.StatusOK, nil, data))
}

// Misread returns the error for an event that is not one of the format.
func (c *Client) Misread(event Event) *providers.Error {
	var whole json.RawMessage
	err := json.NewDecoder(bytes.NewReader(event.Data)).Decode(&whole)
	switch {
	case event.Cut && err == io.ErrUnexpectedEOF:
		return c.Cut()
	case event.Bare && event.Cut && err == nil: // a document in place of a stream
		return c.Failed(event.Data)
	}
	return c.Nonsense("malformed event in the response stream")
}

// Nonsense returns the error for an answer that can't be understood, because it was damaged
// on its way, or the model made a mistake. A retry may help.
func (c *Client) Nonsense(message string) *providers.Error {
	e := c.useless(message)
	e.Retryable = true
	return e
}

// useless returns the error for an answer that a retry would not change.
func (c *Client) useless(message string) *providers.Error {
	return c.masked(&providers.Error{Kind: providers.KindProvider, Model: c.at.Ref, Message: message})
}

// Misuse returns the error for a request that can't be made.
func (c *Client) Misuse(message string) *providers.Error {
	return c.masked(&providers.Error{Kind: providers.KindConfiguration, Model: c.at.Ref, Message: message})
}
