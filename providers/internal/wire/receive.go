package wire

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A Reader reads the stream of one answer in one format. All its errors are of type
// [*providers.Error].
type Reader interface {
	// Add reads one event, which is neither named error nor [DONE]. Beside its errors it returns [io.EOF]
	// for the last event of an answer: the rest of the stream is not read.
	Add(event Event) error

	// AtEnd is called at the end of the stream. It returns an error for an answer that is
	// incomplete or invalid. done says that the stream ended with [DONE], as many services mark it.
	AtEnd(done bool) error

	// Ending returns why the model stopped, and its usage. It may be called after an error,
	// too.
	Ending() (providers.Finish, providers.Usage)
}

// Exchange posts a request and returns its answer. Of one that broke off it returns what had come
// until then.
func (c *Client) Exchange(ctx context.Context, url string, body any, header http.Header, answer *Answer, r Reader) (providers.Message, error) {
	res, err := c.post(ctx, url, body, header)
	if err != nil {
		return c.Unanswered(), err
	}
	return c.Receive(ctx, res, answer, r)
}

// Receive reads the answer in res, which it closes.
func (c *Client) Receive(ctx context.Context, res *http.Response, answer *Answer, r Reader) (providers.Message, error) {
	defer res.Body.Close()
	return c.conclude(answer, r, c.read(ctx, newEventStream(res), answer, r))
}

// conclude returns the message of an answer that was read to its end, or until err.
func (c *Client) conclude(answer *Answer, r Reader, err error) (providers.Message, error) {
	message := c.Unanswered()
	message.Finish, message.Usage = r.Ending()
	if err == nil && answer.hasNamelessCall() {
		err = c.Nonsense("a tool call has no name")
	}
	if err != nil {
		message.Blocks, message.Finish = answer.Partial(), providers.FinishError
		return message, err
	}
	message.Blocks = answer.Finish()
	return message, nil
}

func (c *Client) read(ctx context.Context, events *eventStream, answer *Answer, r Reader) error {
	for {
		event, err := events.next()
		switch {
		case err == io.EOF:
			return r.AtEnd(false)
		case err != nil:
			return c.Broken(ctx, err)
		case event.Name == "error":
			return c.Failed(event.Data)
		case bytes.HasPrefix(event.Data, []byte("[DONE]")):
			return r.AtEnd(true)
		}
		err = r.Add(event)
		if err != nil && err != io.EOF {
			return err
		}
		if tooMuch := answer.Err(); tooMuch != nil {
			return c.Broken(ctx, tooMuch)
		}
		if err == io.EOF {
			return r.AtEnd(false)
		}
	}
}

// Unanswered returns the message for a request that got no answer.
func (c *Client) Unanswered() providers.Message {
	return providers.Message{Role: providers.RoleAssistant, Provider: c.at.Provider, Model: c.at.Ref}
}
