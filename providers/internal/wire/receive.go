package wire

import (
	"context"
	"io"
	"net/http"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A Reader takes in the stream of one answer, in the words of one format. Its
// errors are all a [*providers.Error].
type Reader interface {
	// Add takes in one event, and reports whether nothing that counts can follow.
	Add(event Event) (last bool, err error)

	// AtEnd judges what has come once nothing more will.
	AtEnd() error

	Ending
}

// An Ending is how an answer ended.
type Ending interface {
	// Ending is why the model stopped, and what it used. It may be asked after
	// an error, too.
	Ending() (providers.Finish, providers.Usage)
}

// Ask posts a request, and returns the message that comes of its answer, as [Client.Post]
// and [Client.Receive] do.
func (c *Client) Ask(ctx context.Context, url string, body any, header http.Header, answer *Answer, r Reader) (providers.Message, error) {
	res, err := c.Post(ctx, url, body, header)
	if err != nil {
		return c.Unanswered(), err
	}
	return c.Receive(ctx, res, answer, r)
}

// Receive reads the whole of res, which it closes, and returns the message that
// has come of it: of an answer that broke off, what had come until then.
func (c *Client) Receive(ctx context.Context, res *http.Response, answer *Answer, r Reader) (providers.Message, error) {
	defer res.Body.Close()
	events := newEventStream(res)
	defer events.free()
	return c.Conclude(answer, r, c.read(ctx, events, answer, r))
}

// Conclude returns the message that has come of an answer, which was read whole or
// until err.
func (c *Client) Conclude(answer *Answer, ending Ending, err error) (providers.Message, error) {
	message := c.Unanswered()
	message.Finish, message.Usage = ending.Ending()
	if err != nil {
		message.Blocks, message.Finish = answer.Partial(), providers.FinishError
		return message, err
	}
	message.Blocks = answer.Finish()
	return message, nil
}

func (c *Client) read(ctx context.Context, events *eventStream, answer *Answer, r Reader) error {
	for last := false; !last; {
		event, err := events.next()
		switch {
		case err == io.EOF:
			return r.AtEnd()
		case err != nil:
			return c.Broken(ctx, answer.Broken(err))
		}
		if last, err = r.Add(event); err != nil {
			return err
		}
		if err := answer.Err(); err != nil {
			return c.Broken(ctx, err)
		}
	}
	return r.AtEnd()
}

// Unanswered is the message of a request that got no answer.
func (c *Client) Unanswered() providers.Message {
	return providers.Message{Role: providers.RoleAssistant, Provider: c.at.Provider, Model: c.at.Ref}
}
