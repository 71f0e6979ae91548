package jsonschema

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestNumberRange(t *testing.T) {
	for in, want := range map[string]bool{
		"1": true, "-1.5e10": true, "1e400": true, "1e401": false, "1E-401": false, "1e99999999999999999999": false,
		strings.Repeat("9", 1001): false, strings.Repeat("9", 1000): true, "": false, "-": false, "x": false, "1e": false,
	} {
		if _, got := parseNumber(in); got != want {
			t.Errorf("%.20q: got %v", in, got)
		}
	}
}

// TestNumbers compares with math/big, which is exact, too, and slow.
func TestNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	make1 := func() string {
		s := strconv.Itoa(random.IntN(2001) - 1000)
		if random.IntN(2) == 0 {
			s += "." + strconv.Itoa(random.IntN(200))
		}
		if random.IntN(2) == 0 {
			s += "e" + strconv.Itoa(random.IntN(9)-4)
		}
		return s
	}
	for range 50_000 {
		a, b := make1(), make1()
		x, _ := parseNumber(a)
		y, _ := parseNumber(b)
		bigX, _ := new(big.Rat).SetString(a)
		bigY, _ := new(big.Rat).SetString(b)
		if got, want := x.compare(y), bigX.Cmp(bigY); got != want || (x == y) != (want == 0) {
			t.Fatalf("%s and %s: got %d, want %d", a, b, got, want)
		}
		if x.whole() != bigX.IsInt() {
			t.Fatalf("%s is whole: %v", a, x.whole())
		}
		if bigY.Sign() != 0 && x.multipleOf(y) != new(big.Rat).Quo(bigX, bigY).IsInt() {
			t.Fatalf("%s is a multiple of %s: %v", a, b, x.multipleOf(y))
		}
	}
}

func TestCounts(t *testing.T) {
	for in, want := range map[string]int{"0": 0, "3": 3, "2.0": 2, "1e3": 1000} {
		n, _ := numberOf(json.Number(in))
		if got := n.count(); got != want {
			t.Errorf("%s: got %d", in, got)
		}
	}
	for _, in := range []string{"1e30", "99999999999999999999"} {
		n, _ := numberOf(json.Number(in))
		if got := n.count(); got < 1<<40 {
			t.Errorf("%s: got %d", in, got)
		}
	}
}
