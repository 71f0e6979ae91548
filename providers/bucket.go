package providers

import (
	"math"
	"time"
)

// A bucket is a token bucket. Its level may fall below zero, because some uses are known
// only afterwards; the next one waits for it. The nil bucket has no limit. It is not safe
// for concurrent use.
type bucket struct {
	level     float64 // at the time at; below zero when too much was used
	most      float64
	perSecond float64
	at        time.Time
}

// newBucket returns a full bucket.
func newBucket(most, perSecond float64) *bucket {
	return &bucket{level: most, most: most, perSecond: perSecond, at: time.Now()}
}

// fill brings the level up to date.
func (b *bucket) fill(now time.Time) {
	if passed := now.Sub(b.at); passed > 0 {
		b.level = min(b.most, b.level+b.perSecond*passed.Seconds())
		b.at = now
	}
}

// wait is how long it takes until the level is n, or the bucket is full.
func (b *bucket) wait(now time.Time, n float64) time.Duration {
	if b == nil {
		return 0
	}
	b.fill(now)
	lacking := min(n, b.most) - b.level
	if lacking <= 0 {
		return 0
	}
	return duration(math.Ceil(lacking/b.perSecond*1e9), time.Nanosecond)
}

// use takes n, or returns them if n is negative.
func (b *bucket) use(now time.Time, n float64) {
	if b == nil {
		return
	}
	b.fill(now)
	b.level = min(b.most, b.level-n)
}
