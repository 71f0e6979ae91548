package report

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/term"
)

// TestColored: each line has one coloured word, which says how something ended; a text of a model
// has none.
func TestColored(t *testing.T) {
	const (
		red, green, yellow, dim, end = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[2m", "\x1b[0m"
	)
	for _, tt := range []struct{ text, want string }{
		{"run r1: docs, failed in 9.0s\n", "run r1: docs, " + red + "failed" + end + " in 9.0s\n"},
		{"  first   succeeded 1 turn\n", "  first   " + green + "succeeded" + end + " 1 turn\n"},
		{"  pages   cut off   2 turns\n", "  pages   " + yellow + "cut off" + end + "   2 turns\n"},
		{"  loose   failed, continued 1 turn\n", "  loose   " + yellow + "failed, continued" + end + " 1 turn\n"},
		{"denied: a failed call\n", red + "denied:" + end + " a failed call\n"},
		{"hint: the run has failed\n", dim + "hint:" + end + " the run has failed\n"},
		{"  | it failed\n", "  | it failed\n"},
		{"ask\n", yellow + "ask" + end + "\n"},
		{"folder: x\n", "folder: x\n"},
	} {
		if got := Colored(tt.text, term.Painter{On: true}); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
		if got := Colored(tt.text, term.Painter{}); got != tt.text {
			t.Errorf("without colours: %q", got)
		}
	}
}

// TestTableIsCut at the columns of the terminal, however wide the characters are.
func TestTableIsCut(t *testing.T) {
	got := table{{"世界", "a", "b"}, {"long", "word", "and more"}}.within(13)
	if want := "世界  a     b\nlong  word  …\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
