package providers

import (
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// retryAfter is how long a service asks to be left alone: the most exact of
// what it says, and 0 if it says nothing.
func retryAfter(header http.Header, f failure) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} { // the second of Azure
		if wait := milliseconds(header.Get(name)); wait > 0 {
			return wait
		}
	}
	if wait := until(header.Get("Retry-After"), header); wait > 0 {
		return wait
	}
	if wait, err := time.ParseDuration(f.delay); err == nil && wait > 0 {
		return wait
	}
	if wait := delayInText(f.message); wait > 0 {
		return wait
	}
	if wait := resetOfLimits(header, header); wait > 0 {
		return wait
	}
	return resetOfLimits(f.header, header)
}

// milliseconds reads a number of them; 0 for anything else.
func milliseconds(value string) time.Duration {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return 0
	}
	return duration(n, time.Millisecond)
}

// duration is n units, not below zero and not beyond a year: more is of no use
// to anybody, and would overflow.
func duration(n float64, unit time.Duration) time.Duration {
	const longest = 365 * 24 * time.Hour
	if math.IsNaN(n) || n <= 0 {
		return 0
	}
	return time.Duration(min(n*float64(unit), float64(longest)))
}

// until reads a point in time in any form that services use, and returns how
// long it is from now: seconds, a duration (1m30s), a date of HTTP or of RFC
// 3339, seconds or milliseconds since 1970. It is 0 for what has passed, and
// for what it can't read. The server's own clock counts, where it is sent.
func until(value string, header http.Header) time.Duration {
	now := time.Now()
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	if n, err := strconv.ParseFloat(value, 64); err == nil {
		const sinceSeconds, sinceMilliseconds = 1e9, 1e12
		switch {
		case n >= sinceMilliseconds:
			return duration(n-float64(now.UnixMilli()), time.Millisecond)
		case n >= sinceSeconds:
			return duration(n-float64(now.Unix()), time.Second)
		}
		return duration(n, time.Second)
	}
	if wait, err := time.ParseDuration(value); err == nil {
		return max(wait, 0)
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(date.Sub(now), 0)
	}
	if date, err := time.Parse(time.RFC3339, value); err == nil {
		return max(date.Sub(now), 0)
	}
	return 0
}

var delayPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:try again|retry) (?:in|after) ([0-9]+(?:\.[0-9]+)?) ?(ms|milliseconds?|s|seconds?|m|minutes?)\b`)
})

// delayInText finds "try again in 18.642s" and its like: an error inside a
// stream has no headers.
func delayInText(message string) time.Duration {
	found := delayPattern().FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	n, _ := strconv.ParseFloat(found[1], 64) // the pattern lets numbers through only
	switch unit := strings.ToLower(found[2]); {
	case strings.HasPrefix(unit, "ms"), strings.HasPrefix(unit, "mill"):
		return duration(n, time.Millisecond)
	case strings.HasPrefix(unit, "m"):
		return duration(n, time.Minute)
	}
	return duration(n, time.Second)
}

// resetOfLimits reads the headers that tell when each limit is full again. A
// limit that is used up has to be waited for; where none says that it is, the
// soonest one is the best guess, since a retry finds out. The clock is the header
// with the server's time.
func resetOfLimits(header, clock http.Header) time.Duration {
	var used, open []time.Duration
	for name := range header {
		reset := strings.ToLower(name)
		if !strings.Contains(reset, "ratelimit") || !strings.Contains(reset, "reset") {
			continue
		}
		wait := until(header.Get(name), clock)
		if wait <= 0 {
			continue
		}
		if header.Get(strings.Replace(reset, "reset", "remaining", 1)) == "0" {
			used = append(used, wait)
		} else {
			open = append(open, wait)
		}
	}
	switch {
	case len(used) > 0:
		return slices.Max(used)
	case len(open) > 0:
		return slices.Min(open)
	}
	return 0
}
