package jsonschema

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestNumberRange(t *testing.T) {
	for in, want := range map[string]bool{
		"1": true, "-1.5e10": true, "1e400": true, "1e401": false, "1E-401": false, "1e99999999999999999999": false,
		strings.Repeat("9", 1001): false, strings.Repeat("9", 1000): true, "": false, "-": false, "x": false, "1e": false,
	} {
		if got := inRange(in); got != want {
			t.Errorf("%.20q: got %v", in, got)
		}
	}
}

func TestCounts(t *testing.T) {
	for in, want := range map[string]int{"0": 0, "3": 3, "2.0": 2, "1e3": 1000} {
		if got := countOf(json.Number(in)); got != want {
			t.Errorf("%s: got %d", in, got)
		}
	}
	for _, in := range []string{"1e30", "99999999999999999999"} {
		if got := countOf(json.Number(in)); got < 1<<40 {
			t.Errorf("%s: got %d", in, got)
		}
	}
}
