package flags_test

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/flags"
)

// The usage line of a command says which arguments it takes.
func TestArguments(t *testing.T) {
	for _, tt := range []struct{ use, args, wants string }{
		{"none", "", ""},
		{"none", "a", `none: unexpected argument "a"`},
		{"one FILE", "", "one: an argument is missing"},
		{"one FILE", "a", ""},
		{"one FILE", "a b", `one: unexpected argument "b"`},
		{"maybe [RUN] [UNIT]", "", ""},
		{"maybe [RUN] [UNIT]", "a b c", `maybe: unexpected argument "c"`},
		{"some FILE…", "", "some: an argument is missing"},
		{"some FILE…", "a b c", ""},
		{"any [A|B…]", "", ""},
		{"any [PROVIDER[/MODEL]…]", "a b c", ""},
		{"flagged FILE --step ID TOOL [ARG]", "a", "flagged: an argument is missing"},
		{"flagged FILE --step ID TOOL [ARG]", "a b c", ""},
		{"flagged FILE --step ID TOOL [ARG]", "a b c d", `flagged: unexpected argument "d"`},
	} {
		c := &cobra.Command{Use: tt.use}
		root := &cobra.Command{Use: "flow"}
		root.AddCommand(c)
		flags.Arguments(root)
		got := ""
		if err := c.Args(c, strings.Fields(tt.args)); err != nil {
			got = err.Error()
		}
		if got != tt.wants {
			t.Errorf("%s, given %q: %q, want %q", tt.use, tt.args, got, tt.wants)
		}
	}
	c := &cobra.Command{Use: "any [FOLDER] [PROVIDER[/MODEL]…]"}
	for i, wants := range []string{"FOLDER", "PROVIDER[/MODEL]", "PROVIDER[/MODEL]"} {
		if got, ok := flags.Argument(c, i); got != wants || !ok {
			t.Errorf("argument %d is %q, want %q", i, got, wants)
		}
	}
}
