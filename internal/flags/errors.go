// Package flags extends cobra and pflag: flags with values of other types, the inputs of a
// workflow, and the errors of a command line in flow's words, with suggestions.
package flags

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Unknown is the error for arguments that name no command below one.
func Unknown(above *cobra.Command, args []string) error {
	var names []string
	for _, c := range above.Commands() {
		names = append(names, c.Name())
	}
	hint := fmt.Sprintf("\"%s --help\" lists the commands", above.CommandPath())
	if near := nearest.Of(meant("commands", args[0]), names); near != "" {
		hint = fmt.Sprintf("did you mean %s %s?", above.CommandPath(), near)
	}
	return steps.Invalid(hint, "unknown command %q", args[0])
}

// Error is the error for a wrong flag, with a suggestion. What a flag itself says of its value, with a
// hint, stays.
func Error(c *cobra.Command, err error) error {
	hint := fmt.Sprintf("\"%s --help\" lists the flags", c.CommandPath())
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var own *steps.Error
	switch {
	case errors.As(err, &unknown):
		if names, _, _ := argumentsOf(c); endsInText(names) && c.Flags().NArg() >= len(names) {
			hint = hintQuoted
		}
		if near := nearest.Of(meant("flags", unknown.GetSpecifiedName()), namesOf(c)); near != "" {
			hint = "did you mean --" + near + "?"
		}
	case errors.As(err, &invalid) && errors.As(err, &own):
		return steps.Invalid(own.Hint, "--%s %s", invalid.GetFlag().Name, own.Message)
	case errors.As(err, &invalid):
		reason := invalid.Unwrap()
		if invalid.GetFlag().Value.Type() == "bool" {
			reason = errors.New("expected true or false")
		}
		err = fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), reason)
	}
	return steps.Invalid(hint, "%v", err)
}

// meant is what flow calls a command or a flag of other tools; any other word stays.
func meant(section, word string) string { return cmp.Or(format.Foreign(section)[word], word) }

func namesOf(c *cobra.Command) (names []string) {
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}
