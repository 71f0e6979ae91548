package runner

import (
	"context"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// A Caller identifies who calls a tool.
type Caller struct {
	Unit   journal.Address // the zero Address if it is not known
	Recipe string          // the reference of the recipe whose step calls it; "" if it is of none
}

type callerKey struct{}

// WithCaller returns a context for the calls of c.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns who makes the call of a context, such as that of [Options.Ask].
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
