package known

import (
	"strings"
	"testing"
)

func TestIsToolName(t *testing.T) {
	tests := []struct {
		name          string
		valid, wildly bool
	}{
		{"", false, false},
		{"a", true, true},
		{"9a", true, true},
		{"A-b_9", true, true},
		{"a-", true, true},
		{"_a", false, false},
		{"-a", false, false},
		{"a b", false, false},
		{"a.b", false, false},
		{"é", false, false},
		{"a\n", false, false},
		{"a\x00", false, false},
		{"\xff", false, false},
		{"*", false, true},
		{"*_a?", false, true},
		{"-*", false, false},
		{"git hub*", false, false},
		{strings.Repeat("a", MaxToolName), true, true},
		{strings.Repeat("a", MaxToolName+1), false, false},
		{strings.Repeat("*", MaxToolName+1), false, false},
	}
	for _, test := range tests {
		if got := IsToolName(test.name); got != test.valid {
			t.Errorf("IsToolName(%q): got %t", test.name, got)
		}
		if got := IsToolPattern(test.name); got != test.wildly {
			t.Errorf("IsToolPattern(%q): got %t", test.name, got)
		}
	}
}

func TestRuledBy(t *testing.T) {
	for tool, want := range map[string]string{
		"bash": "bash", "read": "read", "write": "write", "webfetch": "webfetch",
		"edit": "write", "multiedit": "write", "patch": "write",
		"glob": "read", "grep": "read", "list": "read",
		"": "", "Read": "", "github_read": "",
	} {
		if got := RuledBy(tool); got != want {
			t.Errorf("RuledBy(%q): got %q, want %q", tool, got, want)
		}
	}
}
