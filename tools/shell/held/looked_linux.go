package held

import "time"

// lookedFor caches the result of a walk through folders. There are no notifications about
// files that others create, so the result expires, the later the longer the walk took.
type lookedFor[T any] struct {
	found T
	since time.Time // zero if there is no result
	took  time.Duration
}

// patience is how many times as long as a walk took its result is used.
const patience = 20

// get returns the cached result, or calls find for a new one.
func (l *lookedFor[T]) get(find func() (T, error)) (T, error) {
	if !l.since.IsZero() && time.Since(l.since) <= patience*l.took {
		return l.found, nil
	}
	start := time.Now()
	found, err := find()
	if err == nil {
		l.found, l.since, l.took = found, time.Now(), time.Since(start)
	}
	return found, err
}
