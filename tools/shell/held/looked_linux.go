package held

import "time"

// What is looked for is what a walk through folders finds. It is good for a while, and
// looked for again when that was long ago beside what it took: nothing would tell of
// files that others make.
type lookedFor[T any] struct {
	found T
	since time.Time // zero: nobody has looked
	took  time.Duration
}

// patience is how many times longer a walk is good than it took.
const patience = 20

// get returns what was found, or what find finds now.
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
