package providers

import (
	"context"
	"errors"
	"testing"
	"time"
)

// fake is a model that a test writes as a function.
type fake struct {
	ref    string
	answer func(ctx context.Context, req Request, emit func(Event)) (Message, error)
}

func (f fake) Info() Info { return Info{Ref: f.ref, Provider: "fake", StructuredOutput: true} }

func (f fake) Stream(ctx context.Context, req Request, emit func(Event)) (Message, error) {
	return f.answer(ctx, req, emit)
}

// sequence is a model that fails with each of the given errors, one a request,
// and then answers with its reference.
func sequence(ref string, failures ...error) (m Model, asked *int) {
	asked = new(int)
	return fake{ref, func(ctx context.Context, req Request, emit func(Event)) (Message, error) {
		*asked++
		if *asked <= len(failures) {
			return Message{}, failures[*asked-1]
		}
		return reply(ref), nil
	}}, asked
}

func reply(text string) Message {
	return Message{Role: RoleAssistant, Blocks: []Block{{Type: BlockText, Text: text}}, Finish: FinishStop}
}

func rateLimited(after time.Duration) *Error {
	return &Error{Kind: KindRateLimited, Status: 429, Message: "slow down", Retryable: true, RetryAfter: after}
}

func overloaded() *Error {
	return &Error{Kind: KindOverloaded, Status: 503, Message: "busy", Retryable: true}
}

// events keeps what a model emits.
type events []Event

func (e *events) add(event Event) { *e = append(*e, event) }

func ignore(Event) {}

func wantKind(t *testing.T, err error, kind Kind) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want a *providers.Error", err)
	}
	if e.Kind != kind || KindOf(err) != kind {
		t.Errorf("got %s, want %s: %v", e.Kind, kind, err)
	}
	return e
}
