package providers

import (
	"context"
	"time"
)

// longestWait is the longest that a request waits because a service asks for it.
const longestWait = 2 * time.Minute

// Sleep waits. It returns false if the context ended before.
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
