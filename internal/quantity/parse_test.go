package quantity

import (
	"testing"
	"time"
)

func TestNumber(t *testing.T) {
	for given, want := range map[string]int{"1": 1, "64": 64, "0": -1, "-1": -1, "x": -1, "": -1, "1.5": -1, "99999999999999999999": -1} {
		n, err := ParseNumber(given)
		if (err != nil) != (want < 0) {
			t.Errorf("%q: %v", given, err)
		} else if err == nil && n != want {
			t.Errorf("%q: %d, want %d", given, n, want)
		}
	}
}

func TestAge(t *testing.T) {
	for given, want := range map[string]time.Duration{
		"30d": 720 * time.Hour, "2w": 336 * time.Hour, "12h": 12 * time.Hour, "100000d": 2_400_000 * time.Hour,
		"0d": 0, "-1d": 0, "100001d": 0, "99999999999999999999w": 0, "0s": 0, "-1h": 0, "d": 0, "x": 0, "": 0,
	} {
		if got, err := ParseAge(given); got != want || (err != nil) != (want == 0) {
			t.Errorf("%q: %v, %v, want %v", given, got, err, want)
		}
	}
}

func TestAmount(t *testing.T) {
	for given, ok := range map[string]bool{
		"0": true, "2.50": true, "1e-3": true,
		"-1": false, "NaN": false, "nan": false, "inf": false, "+Inf": false, "-Inf": false, "1e400": false, "x": false, "": false,
	} {
		usd, err := ParseUSD(given)
		if (err == nil) != ok {
			t.Errorf("%q: %v", given, err)
		}
		if (usd != nil) != ok {
			t.Errorf("%q: the amount is %v", given, usd)
		}
	}
}
