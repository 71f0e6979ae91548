package workflows

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	tests := []struct {
		name               string
		id, tool, variable bool
	}{
		{"", false, false, false},
		{"a", true, true, true},
		{"_", true, false, true},
		{"_a9", true, false, true},
		{"A-b_9", true, true, false},
		{"9a", false, true, false},
		{"-a", false, false, false},
		{"a-", true, true, false},
		{"a b", false, false, false},
		{"a.b", false, false, false},
		{"é", false, false, false},
		{"a\n", false, false, false},
		{strings.Repeat("a", 64), true, true, true},
		{strings.Repeat("a", 65), false, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := isStepID(tt.name); got != tt.id {
				t.Errorf("id: %v", got)
			}
			if got := isToolName(tt.name); got != tt.tool {
				t.Errorf("tool: %v", got)
			}
			if got := isVariableName(tt.name); got != tt.variable {
				t.Errorf("variable: %v", got)
			}
		})
	}
}
