package bash

import (
	"errors"
	"strings"
	"testing"
)

// None of these may use up the parser's stack, which nothing could recover from.
func TestDeepScripts(t *testing.T) {
	const size = 1 << 20
	for _, level := range []string{
		"(", "((", "{ ", "$(", "$((-", `"$(`, "${a:-", "$[", "a[", "[[ (", "<(",
		"( #)\n", `$(\)`, `${a-\}`, "a[']'", "((1?", "((~",
	} {
		if _, err := Parse(strings.Repeat(level, size/len(level))); !errors.Is(err, ErrTooDeep) {
			t.Errorf("%q: error %v", level, err)
		}
	}
}

func TestScripts(t *testing.T) {
	for _, script := range []string{
		"echo " + strings.Repeat("'('", MaxNesting),
		strings.Repeat("a=(1 2); ", 2*MaxNesting),
		strings.Repeat("echo ')'\n", 2*MaxNesting) + strings.Repeat("(", MaxNesting-1) + "a" + strings.Repeat(")", MaxNesting-1),
	} {
		if _, err := Parse(script); err != nil {
			t.Errorf("%.40q …: %v", script, err)
		}
	}
	if _, err := Parse("echo " + strings.Repeat("'('", MaxNesting+1)); !errors.Is(err, ErrTooDeep) {
		t.Errorf("error %v", err)
	}
}
