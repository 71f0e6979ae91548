package runner

import "context"

// A shared value is made by the first who asks for it, within that one's time;
// the others wait for it within theirs. What came of it, an error too, is the
// same for all, so that what can't be made is not tried for each element: only
// where the time of the one who made it was up does the next one try again.
type shared[T any] struct {
	turn    chan struct{} // held while the value is made
	made    chan struct{} // closed once it is
	product T
	err     error
}

func newShared[T any]() *shared[T] {
	return &shared[T]{turn: make(chan struct{}, 1), made: make(chan struct{})}
}

// value returns the value, which produce makes where nobody has. The error is the
// context's cause where that ended first. It is safe for concurrent use.
func (s *shared[T]) value(ctx context.Context, produce func(context.Context) (T, error)) (T, error) {
	select {
	case <-s.made:
		return s.product, s.err
	default:
	}
	select {
	case <-s.made:
		return s.product, s.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	case s.turn <- struct{}{}:
	}
	defer func() { <-s.turn }()
	return s.make(ctx, produce)
}

// make makes the value, unless the one before has made it. Its caller
// holds the turn.
func (s *shared[T]) make(ctx context.Context, produce func(context.Context) (T, error)) (T, error) {
	select {
	case <-s.made:
		return s.product, s.err
	default:
	}
	product, err := produce(ctx)
	if err != nil && ctx.Err() != nil {
		return product, context.Cause(ctx)
	}
	s.product, s.err = product, err
	close(s.made)
	return product, err
}
