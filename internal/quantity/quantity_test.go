package quantity

import "testing"

func TestUSD(t *testing.T) {
	for amount, want := range map[float64]string{
		0: "0.0000", 1.5: "1.5000", 0.0125: "0.0125", 12.34567: "12.3457", 0.00015: "0.00015", 0.00001: "0.00001",
		0.0000123456: "0.000012", 5e-324: "0.0000", 0.00999: "0.0100",
	} {
		if got := USD(amount); got != want {
			t.Errorf("%v: got %s, want %s", amount, got, want)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -123: "-123", -1234: "-1,234"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 calls", 1: "1 call", 2: "2 calls", 12345: "12,345 calls"} {
		if got := Count(n, "call"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got, want := Count(2, "property"), "2 properties"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Half a cent is rounded up, however its parts were added.
func TestDollarsOfSums(t *testing.T) {
	by := 0.0
	for range 6 {
		by += 0.0025
	}
	for _, amount := range []float64{0.015, by, 3 * 0.005, 0.0025 * 6} {
		if got := Dollars(amount); got != "$0.02" {
			t.Errorf("%v: %s", amount, got)
		}
	}
}
