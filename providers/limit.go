package providers

import (
	"context"
	"errors"
	"slices"
)

// Limit returns a model whose requests wait until g admits them. A request that would have
// to wait for more than two minutes fails with [KindRateLimited] at once.
func Limit(m Model, g *Governor) Model { return &limited{model: m, governor: g} }

type limited struct {
	model    Model
	governor *Governor
}

func (l *limited) Info() Info { return l.model.Info() }

func (l *limited) Stream(ctx context.Context, req Request, emit func(Event)) (Message, error) {
	estimate := float64(req.EstimatedTokens())
	began, err := l.governor.enter(ctx, estimate, emit)
	if err != nil {
		return Message{}, l.named(ctx, err)
	}
	defer l.governor.leave()
	answer, err := l.model.Stream(ctx, req, emit)
	l.governor.learn(began, float64(answer.Usage.Total())-estimate, err)
	return answer, err
}

// named adds the model to an error of the governor.
func (l *limited) named(ctx context.Context, err error) error {
	ref := l.model.Info().Ref
	var e *Error
	if ctx.Err() == nil && errors.As(err, &e) {
		e.Model = ref
		return e
	}
	return Cancelled(ctx, ref)
}

// EstimatedTokens estimates the size of the request's input: the tokens that the last
// answer counted, and a token for every three bytes since, which is more than text and code
// need.
func (r Request) EstimatedTokens() int64 {
	const bytesPerToken = 3
	bytes := 0
	for _, m := range slices.Backward(r.Messages) {
		counted := m.Usage.Total()
		if m.Saved != nil { // so that the estimate does not depend on the cache
			counted = m.Saved.Total()
		}
		if m.Role == RoleAssistant && counted > 0 {
			return counted + int64(bytes+bytesPerToken-1)/bytesPerToken
		}
		for _, b := range m.Blocks {
			bytes += len(b.Text) + len(b.Name) + len(b.Arguments) + len(b.Content) + len(b.Raw)
		}
	}
	bytes += len(r.System)
	for _, t := range r.Tools {
		bytes += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return int64(bytes+bytesPerToken-1) / bytesPerToken
}
