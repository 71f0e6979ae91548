package providers

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A limitName is what a service's limit counts: requests, tokens, input-tokens,
// output-tokens, or "", which means requests too.
type limitName string

// share is how much of the limit a request of about so many tokens uses. The length of
// an answer is not known before, so a limit of the output delays requests only once it is
// used up.
func (n limitName) share(tokens float64) float64 {
	switch n {
	case "tokens", "input-tokens":
		return tokens
	}
	return 1
}

// An allowance is what a service reports to be left of one of its limits. It is full again
// at a known time, and fills evenly until then where its size is known. One that would
// delay a request too long is ignored: its unit may be another one, and if it is not, the
// service will refuse the request.
type allowance struct {
	bucket
	full time.Time
}

func (a *allowance) wait(now time.Time, n float64) time.Duration {
	reset := max(0, a.full.Sub(now))
	if reset == 0 || a.level >= min(n, a.most) {
		return 0
	}
	wait := reset
	if a.perSecond > 0 {
		wait = min(reset, a.bucket.wait(now, n))
	}
	if wait > longestWait {
		return 0
	}
	return wait
}

// allowances reads the headers in which services report their limits:
//
//	x-ratelimit-limit-tokens, x-ratelimit-remaining-tokens, x-ratelimit-reset-tokens   OpenAI, Azure, Groq, xAI
//	anthropic-ratelimit-tokens-limit, …-remaining, …-reset                             Anthropic
//	x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset                        OpenRouter
//
// A limit without what is left and when it is full again is ignored.
func allowances(header http.Header, now time.Time) map[limitName]*allowance {
	found := map[limitName]*allowance{}
	for key := range header {
		name, isReset := limitOf(key)
		if !isReset {
			continue
		}
		reset := until(header.Get(key), header)
		left, err := strconv.ParseFloat(header.Get(replaceFold(key, "reset", "remaining")), 64)
		if err != nil || !(left >= 0) || reset <= 0 {
			continue
		}
		a := &allowance{bucket: bucket{level: left, most: max(left, 1), at: now}, full: now.Add(reset)}
		if most, err := strconv.ParseFloat(header.Get(replaceFold(key, "reset", "limit")), 64); err == nil && most > left {
			a.most, a.perSecond = most, (most-left)/reset.Seconds()
		}
		found[name] = a
	}
	return found
}

// limitOf reports whether a header has the time when a limit is full again, and of which.
func limitOf(key string) (name limitName, isReset bool) {
	key = strings.ToLower(key)
	if rest, ok := strings.CutPrefix(key, "x-ratelimit-reset"); ok {
		return limitName(strings.TrimPrefix(rest, "-")), true
	}
	rest, ok := strings.CutPrefix(key, "anthropic-ratelimit-")
	of, isReset := strings.CutSuffix(rest, "-reset")
	return limitName(of), ok && isReset
}

// replaceFold replaces a part of a header's name, in any case.
func replaceFold(key, old, by string) string {
	return strings.Replace(strings.ToLower(key), old, by, 1)
}
