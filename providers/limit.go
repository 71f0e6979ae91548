package providers

import (
	"context"
	"errors"
	"net/http"
	"slices"
)

// Limit returns a model whose requests wait until g lets them through. What g
// would hold back for more than two minutes, because the service asks for it or
// because the pace is far behind, is [KindRateLimited] at once.
func Limit(m Model, g *Governor) Model { return &limited{model: m, governor: g} }

type limited struct {
	model    Model
	governor *Governor
}

func (l *limited) Info() Info { return l.model.Info() }

func (l *limited) Stream(ctx context.Context, req Request, emit func(Event)) (Message, error) {
	estimate := float64(req.EstimatedTokens())
	ref := l.model.Info().Ref
	began, err := l.governor.enter(ctx, ref, estimate)
	if err != nil {
		return Message{}, l.named(ctx, err)
	}
	defer l.governor.leave()
	answer, err := l.model.Stream(context.WithValue(ctx, governedKey{}, governed{l.governor, ref}), req, emit)
	l.governor.learn(began, err)
	l.governor.settle(float64(answer.Usage.Total()) - estimate)
	return answer, l.governor.counted(err)
}

// named gives an error of the governor its model.
func (l *limited) named(ctx context.Context, err error) error {
	ref := l.model.Info().Ref
	var e *Error
	if ctx.Err() == nil && errors.As(err, &e) {
		e.Model = ref
		return e
	}
	return Cancelled(ctx, ref)
}

// governedKey is the key under which a request's context says who has let it
// through, and to which model.
type governedKey struct{}

type governed struct {
	by    *Governor
	model string
}

// ReportHeaders hands the headers of an answer, be it good or bad, to the
// [Governor] that has let the request of ctx through: they say what is left of
// the service's limits. Without one it does nothing.
func ReportHeaders(ctx context.Context, header http.Header) {
	if g, ok := ctx.Value(governedKey{}).(governed); ok {
		g.by.hear(g.model, header)
	}
}

// EstimatedTokens guesses the size of the request's input. What the last answer
// has counted is taken for what came before it; of the rest three bytes are a
// token, which is more than text and code come to.
func (r Request) EstimatedTokens() int64 {
	const bytesPerToken = 3
	bytes := 0
	for _, m := range slices.Backward(r.Messages) {
		counted := m.Usage.Total()
		if m.Saved != nil { // so that requests are the same, whether an answer was kept or not
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
