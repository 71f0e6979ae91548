package runner

import "context"

// A shared value is made by the first who asks for it, within that one's time;
// the others wait for it within theirs. What came of it, an error too, is the
// same for all, so that what can't be made is not tried for each element: only
// where the time of the one who made it was up does the next one try again.
type shared[T any] struct {
	turn    chan struct{} // held while the value is made, and looked at
	made    bool
	product T
	err     error
}

func newShared[T any]() *shared[T] { return &shared[T]{turn: make(chan struct{}, 1)} }

// value returns the value, which produce makes where nobody has. The error is the
// context's cause where that ended first. It is safe for concurrent use.
func (s *shared[T]) value(ctx context.Context, produce func(context.Context) (T, error)) (T, error) {
	select {
	case s.turn <- struct{}{}:
	default:
		select {
		case s.turn <- struct{}{}:
		case <-ctx.Done():
			var none T
			return none, context.Cause(ctx)
		}
	}
	defer func() { <-s.turn }()
	if s.made {
		return s.product, s.err
	}
	product, err := produce(ctx)
	if err != nil && ctx.Err() != nil {
		return product, context.Cause(ctx)
	}
	s.product, s.err, s.made = product, err, true
	return product, err
}
