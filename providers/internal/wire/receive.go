package wire

import (
	"context"
	"net/http"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A Reader takes in the stream of one answer, in the words of one format.
type Reader interface {
	// Read takes in the whole stream. Its error is a [*providers.Error].
	Read(ctx context.Context, events *Events) error

	// Ending is why the model stopped, and what it used. It may be asked after
	// an error, too.
	Ending() (providers.Finish, providers.Usage)
}

// Receive reads the whole of res, which it closes, and returns the message that
// has come of it: of an answer that broke off, what had come until then.
func Receive(ctx context.Context, at providers.Endpoint, res *http.Response, answer *Answer, r Reader) (providers.Message, error) {
	defer res.Body.Close()
	message := Unanswered(at)
	err := r.Read(ctx, NewEvents(res))
	message.Finish, message.Usage = r.Ending()
	if err != nil {
		message.Blocks, message.Finish = answer.Partial(), providers.FinishError
		return message, err
	}
	message.Blocks = answer.Finish()
	return message, nil
}

// Unanswered is the message of a request that got no answer.
func Unanswered(at providers.Endpoint) providers.Message {
	return providers.Message{Role: providers.RoleAssistant, Provider: at.Provider, Model: at.Ref}
}
