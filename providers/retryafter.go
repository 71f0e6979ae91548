package providers

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// retryAfter returns how long a service asks to wait, from the most exact of its headers
// and texts; 0 if it does not ask.
func retryAfter(header http.Header, f failure) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} { // the second of Azure
		if n, err := strconv.ParseFloat(header.Get(name), 64); err == nil && n > 0 {
			return duration(n, time.Millisecond)
		}
	}
	if wait := until(header.Get("Retry-After"), header); wait > 0 {
		return wait
	}
	if wait, err := time.ParseDuration(f.delay); err == nil && wait > 0 {
		return wait
	}
	return delayInText(f.message)
}

// duration is n units, between zero and a year: more would overflow.
func duration(n float64, unit time.Duration) time.Duration {
	const longest = 365 * 24 * time.Hour
	if math.IsNaN(n) || n <= 0 {
		return 0
	}
	return time.Duration(min(n*float64(unit), float64(longest)))
}

// until parses seconds, a duration (1m30s) or a date of HTTP, and returns how long that is from now; 0 for
// the past and for any other text. Now is the server's Date, if the header has it.
func until(value string, header http.Header) time.Duration {
	if n, err := strconv.ParseFloat(value, 64); err == nil {
		return duration(n, time.Second)
	}
	if wait, err := time.ParseDuration(value); err == nil {
		return max(wait, 0)
	}
	now := time.Now()
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(date.Sub(now), 0)
	}
	return 0
}

var delayPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:try again|retry) (?:in|after) ([0-9]+(?:\.[0-9]+)?) ?(ms|milliseconds?|s|seconds?|m|minutes?)\b`)
})

// delayInText finds "try again in 18.642s" and the like: an error inside a stream has no
// headers.
func delayInText(message string) time.Duration {
	found := delayPattern().FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	n, _ := strconv.ParseFloat(found[1], 64) // the pattern matches only numbers
	switch unit := strings.ToLower(found[2]); {
	case strings.HasPrefix(unit, "ms"), strings.HasPrefix(unit, "mill"):
		return duration(n, time.Millisecond)
	case strings.HasPrefix(unit, "m"):
		return duration(n, time.Minute)
	}
	return duration(n, time.Second)
}
