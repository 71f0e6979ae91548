package wire

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/a-seed-11b9befa/flow/providers"
)

// maxErrorBody is how much of a refusal's body is read.
const maxErrorBody = 1 << 20

func (c *Client) refusal(res *http.Response) *providers.Error {
	// What can't be read of a refusal's body only makes its message poorer.
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	if res.StatusCode < 400 {
		return &providers.Error{
			Kind: providers.KindProvider, Model: c.at.Ref, Status: res.StatusCode,
			Message: "a redirect, which is not followed; is the base URL right?",
		}
	}
	return c.masked(providers.ErrorFromResponse(c.at.Ref, res.StatusCode, res.Header, body))
}

// Broken returns the error for a request that got no answer, or an answer that broke off, by
// err. When ctx has ended that is the reason, and its cause is told.
func (c *Client) Broken(ctx context.Context, err error) *providers.Error {
	if ctx.Err() != nil {
		return providers.Cancelled(ctx, c.at.Ref)
	}
	if errors.Is(err, errTooMuch) {
		return c.useless(err.Error())
	}
	return c.masked(providers.ErrorFromTransport(c.at.Ref, err))
}

// Cut returns the error for a stream that ended without its sign of the end.
func (c *Client) Cut() *providers.Error {
	return &providers.Error{
		Kind: providers.KindNetwork, Model: c.at.Ref, Retryable: true,
		Message: "the stream broke off before its end", Err: io.ErrUnexpectedEOF,
	}
}

// Failed returns the error for one that came in data, inside an answer that had begun.
func (c *Client) Failed(data []byte) *providers.Error {
	return c.masked(providers.ErrorFromResponse(c.at.Ref, http.StatusOK, nil, data))
}

// Nonsense returns the error for an answer that can't be understood: garbled on its way, or by a
// model that has stumbled. Another try may bring a better one.
func (c *Client) Nonsense(message string) *providers.Error {
	e := c.useless(message)
	e.Retryable = true
	return e
}

// useless returns the error for an answer that would be the same the next time.
func (c *Client) useless(message string) *providers.Error {
	return c.masked(&providers.Error{Kind: providers.KindProvider, Model: c.at.Ref, Message: message})
}

// Misuse returns the error for a request that can't be made.
func (c *Client) Misuse(message string) *providers.Error {
	return c.masked(&providers.Error{Kind: providers.KindConfiguration, Model: c.at.Ref, Message: message})
}
