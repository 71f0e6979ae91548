package quantity

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseNumber reads a number from 1.
func ParseNumber(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return 0, errors.New("expected a whole number, 1 or more")
	}
	return int(n), nil
}

// ParseTime reads a length of time, which may be 0.
func ParseTime(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, errors.New("expected a duration, such as 30s, 2m or 0")
	}
	return d, nil
}

// ParseAge reads how long ago something was: 30d, 2w, 12h.
func ParseAge(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	wrong := errors.New("expected an age, such as 30d, 2w or 12h")
	for unit, each := range map[string]time.Duration{"d": day, "w": 7 * day} {
		if count, found := strings.CutSuffix(text, unit); found {
			n, err := strconv.ParseInt(count, 10, 64)
			if err != nil || n < 1 || n > int64(100_000*day/each) {
				return 0, wrong
			}
			return time.Duration(n) * each, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, wrong
	}
	return d, nil
}

// ParseUSD reads an amount of USD, which may be 0.
func ParseUSD(text string) (*float64, error) {
	usd, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(usd) || math.IsInf(usd, 0) || usd < 0 {
		return nil, errors.New("expected an amount in USD, 0 or more, such as 2.50")
	}
	return &usd, nil
}
