package providers

import (
	"context"
	"time"
)

// longestWait is how long a request is held up at most because a service asks
// for it.
const longestWait = 2 * time.Minute

// Sleep waits, and reports whether it came to the end: false is for a context
// that ended before.
func Sleep(ctx context.Context, wait time.Duration) bool {
	if wait <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
