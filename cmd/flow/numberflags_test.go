package main

import "testing"

func TestCountFlag(t *testing.T) {
	for given, want := range map[string]int{"1": 1, "64": 64, "0": -1, "-1": -1, "x": -1, "": -1, "1.5": -1, "99999999999999999999": -1} {
		var c countFlag
		err := c.Set(given)
		if (err != nil) != (want < 0) {
			t.Errorf("%q: %v", given, err)
		} else if err == nil && int(c) != want {
			t.Errorf("%q: %d, want %d", given, c, want)
		}
	}
}

func TestAmountFlag(t *testing.T) {
	for given, ok := range map[string]bool{
		"0": true, "2.50": true, "1e-3": true,
		"-1": false, "NaN": false, "nan": false, "inf": false, "+Inf": false, "-Inf": false, "1e400": false, "x": false, "": false,
	} {
		var a amountFlag
		err := a.Set(given)
		if (err == nil) != ok {
			t.Errorf("%q: %v", given, err)
		}
		if (a.usd != nil) != ok {
			t.Errorf("%q: the amount is %v", given, a.usd)
		}
	}
	if a := new(amountFlag); a.String() != "" || a.usd != nil {
		t.Error("a flag that is not given is no amount of 0")
	}
}
