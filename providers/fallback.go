package providers

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
)

// Fallback returns a model that asks the first of the given models, and the next one when
// that is not available: overloaded, rate limited, unreachable, or failing on its side. It
// does not hide errors that the user has to mend, such as a wrong key or an invalid
// request, nor a conversation that is too long or refused for its content.
//
// A conversation that has fallen back to a model stays with it. What only the provider of
// an earlier answer understands is left out from then on: its thoughts, and [Block.Raw].
// Each fallback emits a [FellBack] event; then the answer starts again. When no model is left
// the error has the messages of all, and the last one's kind.
//
// The model can do what all of them can. Fallback panics without models.
func Fallback(models []Model) Model {
	switch len(models) {
	case 0:
		panic("providers.Fallback without models")
	case 1:
		return models[0]
	}
	return &fallback{models: models, current: map[string]int{}}
}

type fallback struct {
	models []Model

	mu      sync.Mutex
	current map[string]int // the model of a conversation, where it is not the first
}

// Info is the first model's, with the abilities that all have.
func (f *fallback) Info() Info {
	info := f.models[0].Info()
	for _, m := range f.models[1:] {
		info.StructuredAlone = info.Obeys(false) && m.Info().Obeys(false)
		info.StructuredOutput = info.StructuredOutput && m.Info().StructuredOutput
		if window := m.Info().Context; info.Context == 0 || window > 0 && window < info.Context {
			info.Context = window
		}
	}
	return info
}

func (f *fallback) Stream(ctx context.Context, req Request, emit func(Event)) (Message, error) {
	var failed []error
	for i := f.start(req.Conversation); ; i++ {
		answer, err := f.models[i].Stream(ctx, req, emit)
		answer.Model = cmp.Or(answer.Model, f.models[i].Info().Ref)
		if err == nil {
			return answer, nil
		}
		failed = append(failed, err)
		if ctx.Err() != nil || i+1 == len(f.models) || !unavailable(err) {
			return answer, allFailed(failed)
		}
		f.move(req.Conversation, i+1)
		emit(Event{Type: FellBack, Err: err, Broken: &answer, Model: f.models[i+1].Info().Ref})
	}
}

// Cached implements [Cacher].
func (f *fallback) Cached(req Request) bool { return Cached(f.models[f.start(req.Conversation)], req) }

func (f *fallback) start(conversation string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.current[conversation]
}

func (f *fallback) move(conversation string, to int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.current[conversation] = to
}

// unavailable reports whether another model may succeed. A used-up quota is no reason to
// retry, but one to fall back.
func unavailable(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case KindOverloaded, KindRateLimited, KindNetwork:
		return true
	case KindProvider:
		return e.Retryable
	}
	return false
}

// allFailed is one error for the failures of several models.
func allFailed(failed []error) error {
	if len(failed) == 1 {
		return failed[0]
	}
	said := make([]string, len(failed))
	for i, err := range failed {
		said[i] = err.Error()
	}
	all := &Error{Kind: KindOf(failed[len(failed)-1]), Message: strings.Join(said, "; then "), Err: errors.Join(failed...)}
	for _, err := range failed {
		var one *Error
		if errors.As(err, &one) {
			all.Code, all.RetryAfter = one.Code, one.RetryAfter // the last one's remain
			all.Retryable = all.Retryable || one.Retryable
		}
	}
	return all
}
