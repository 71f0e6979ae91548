package tools

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"read", "write", "edit", "list", "glob", "grep", "bash"}
	tests := []struct{ name, want string }{
		{"raed", "read"},
		{"Read", "read"},
		{"writ", "write"},
		{"lst", "list"},
		{"frobnicate", ""},
		{"", ""},
		{strings.Repeat("x", 1<<20), ""},
	}
	for _, test := range tests {
		if got := Nearest(test.name, names); got != test.want {
			t.Errorf("Nearest(%.20q): got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"abc", "abc", 0}, {"abcd", "bacd", 2},
	}
	for _, test := range tests {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("distance(%q, %q): got %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
