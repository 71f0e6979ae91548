package files

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestExpressionTooLarge(t *testing.T) {
	for pattern, fits := range map[string]bool{
		`[xy]{0,1000}[xz]{0,1000}[wv]`: false, `(a{0,50}){0,19}`: true, `(a{1,500}b?){2}`: false, `\p{L}+foo[a-z]{1,100}`: true,
	} {
		_, err := compileLine(pattern)
		if fits != (err == nil) || err != nil && !strings.Contains(err.Error(), "the pattern is too large: it has ") {
			t.Errorf("%s: got %v", pattern, err)
		}
	}
}

// TestGrepStops searches lines for what takes long, and is stopped.
func TestGrepStops(t *testing.T) {
	x, err := compileLine(`[xy]{0,450}[xz]{0,450}[wv]`)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"one line": strings.Repeat("x", 8<<20), "lines": strings.Repeat(strings.Repeat("x", 1000)+"\n", 8<<10),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, _, err := x.search(ctx, strings.NewReader(text), false, 10)
		cancel()
		if err == nil {
			t.Errorf("%s: it was not stopped", name)
		}
	}
}

// TestLongLines searches the start of lines that are longer than a block.
func TestLongLines(t *testing.T) {
	z := strings.Repeat("z", longestLine-1)
	tests := []struct {
		text   string
		number int64 // of the line that matches; 0: none
		long   int
	}{
		{z + "n", 1, 0},
		{z + "n\n", 1, 0},
		{z + "zn\n", 0, 1},
		{z + "nn\nz\n", 1, 1},
		{z + z + z + "n\n\nn", 3, 1},
		{"z\n" + z + "z\nn", 3, 0},
		{z + "zzz\n" + z + "zzz\nn\n", 3, 2},
	}
	for i, test := range tests {
		x, err := compileLine("n")
		if err != nil {
			t.Fatal(err)
		}
		found, long, err := x.search(t.Context(), strings.NewReader(test.text), false, 100)
		number := int64(0)
		if len(found) > 0 {
			number = found[0].number
		}
		if err != nil || len(found) > 1 || number != test.number || long != test.long {
			t.Errorf("%d: got %d lines, line %d, %d long, %v", i, len(found), number, long, err)
		}
	}
}
