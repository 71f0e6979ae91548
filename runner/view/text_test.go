package view

import (
	"slices"
	"testing"
)

// TestShortest: of several lines the one is chosen that says what is wrong, which for many
// programs is not the last.
func TestShortest(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"one line", "exit status 1: nope", "exit status 1: nope"},
		{"the last one else", "exit status 1\nfirst\nnope", "exit status 1: nope"},
		{"go test", "exit status 1\n--- FAIL: TestA (0.00s)\n    x_test.go:3: got 3\nFAIL\nFAIL\tx\t0.003s\nFAIL", "exit status 1: --- FAIL: TestA (0.00s)"},
		{"a compiler", "exit status 1\n# x\n./a.go:3:2: undefined: b\nFAIL\tx [build failed]\nFAIL", "exit status 1: ./a.go:3:2: undefined: b"},
		{"git", "exit status 128\nfatal: ambiguous argument 'x'\nUse '--' to separate paths from revisions", "exit status 128: fatal: ambiguous argument 'x'"},
		{"git's usage", "exit status 129\nerror: unknown option `x'\nusage: git status [<options>]", "exit status 129: error: unknown option `x'"},
		{"a traceback", "exit status 1\nTraceback (most recent call last):\n  File \"a.py\", line 1\nValueError: nope\n", "exit status 1: ValueError: nope"},
		{"a time is no place", "exit status 1\n2026-01-02T12:30:05 begun\n12:30:05 nope", "exit status 1: 12:30:05 nope"},
	} {
		if got := Shortest(test.text); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// The lines of a text keep their indentation, the first one, too.
func TestLinesAreIndented(t *testing.T) {
	for text, want := range map[string][]string{
		"def f():\n    return 1\n": {"  | def f():", "  |     return 1"},
		"\n M app.py\n?? b\n\n":    {"  |  M app.py", "  | ?? b"},
		"\tif x {\r\n\n\t}":        {"  |     if x {", "  | ", "  |     }"},
		" \n\t\n":                  nil,
	} {
		if got := Quoted(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
		if got := Ended(text); !slices.Equal(got, want) {
			t.Errorf("%q: the end: %q", text, got)
		}
	}
}
