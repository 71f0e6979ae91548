package main

import (
	"errors"
	"math"
	"strconv"
	"time"
)

// A countFlag takes a number from 1. It is 0 where the flag is not given.
type countFlag int

// String is the number as it was given.
func (c *countFlag) String() string { return strconv.Itoa(int(*c)) }

// Type is what help shows as the flag's value.
func (c *countFlag) Type() string { return "n" }

// Set takes the number.
func (c *countFlag) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 1 {
		return errors.New("a number from 1 was expected")
	}
	*c = countFlag(n)
	return nil
}

// A graceFlag takes a length of time, which may be 0.
type graceFlag time.Duration

// String is the time as it was given.
func (g *graceFlag) String() string { return time.Duration(*g).String() }

// Type is what help shows as the flag's value.
func (g *graceFlag) Type() string { return "time" }

// Set takes the time.
func (g *graceFlag) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return errors.New("a length of time was expected, such as 30s, 2m or 0")
	}
	*g = graceFlag(d)
	return nil
}

// An amountFlag takes an amount of USD, which may be 0.
type amountFlag struct{ usd *float64 } // nil where the flag is not given

// String is the amount as it was given.
func (a *amountFlag) String() string {
	if a.usd == nil {
		return ""
	}
	return strconv.FormatFloat(*a.usd, 'f', -1, 64)
}

// Type is what help shows as the flag's value.
func (a *amountFlag) Type() string { return "USD" }

// Set takes the amount.
func (a *amountFlag) Set(s string) error {
	usd, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(usd) || math.IsInf(usd, 0) || usd < 0 {
		return errors.New("an amount of USD from 0 was expected, such as 2.50")
	}
	a.usd = &usd
	return nil
}
