package main

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// An ageFlag takes how long ago something was: 30d, 2w, 12h. It is 0 where the flag
// is not given.
type ageFlag struct {
	age   time.Duration
	given string
}

// String is the age as it was given.
func (a *ageFlag) String() string { return a.given }

// Type is what help shows as the flag's value.
func (a *ageFlag) Type() string { return "age" }

// Set takes the age.
func (a *ageFlag) Set(s string) error {
	wrong := errors.New("an age was expected, such as 30d, 2w or 12h")
	days := map[string]int64{"d": 1, "w": 7}
	for unit, each := range days {
		if number, found := strings.CutSuffix(s, unit); found {
			n, err := strconv.ParseInt(number, 10, 64)
			if err != nil || n < 1 || n > 100_000/each {
				return wrong
			}
			a.age, a.given = time.Duration(n*each)*24*time.Hour, s
			return nil
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return wrong
	}
	a.age, a.given = d, s
	return nil
}
