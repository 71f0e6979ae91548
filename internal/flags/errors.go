// Package flags is what flow adds to cobra and pflag: values that are read from texts, and
// mistakes in a command line as flow words them, with what may have been meant.
package flags

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Unknown is the error for arguments that name no command.
func Unknown(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return steps.Invalid(`"flow help" lists the commands`, "no command is named")
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint := "there are " + strings.Join(names, ", ")
	if slices.Contains(names, args[0]) {
		return steps.Invalid("leave out what stands before "+args[0], "the command stands first")
	}
	if near := nearest.Of(args[0], names); near != "" {
		hint = "did you mean " + near + "?"
	} else if _, err := os.Stat(args[0]); err == nil {
		hint = "did you mean flow run " + args[0] + "?"
	}
	return steps.Invalid(hint, "unknown command %q", args[0])
}

// Error is the error for a flag that is wrong, with the one that may have been meant.
func Error(c *cobra.Command, err error) error {
	hint := `"` + c.CommandPath() + ` --help" lists the flags`
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if unknown.GetSpecifiedShortnames() == "" {
			hint = cmp.Or(hintOn(c, unknown.GetSpecifiedName(), names), hint)
		}
	}
	return steps.Invalid(hint, "%s", message(err))
}

// hintOn says what was meant by a flag that a command does not have: one of its own
// names, or another command's; "" where it is near none.
func hintOn(c *cobra.Command, name string, names []string) string {
	if near := nearest.Of(name, names); near != "" {
		return "did you mean --" + near + "?"
	}
	if i := slices.IndexFunc(names, func(own string) bool { return strings.HasPrefix(own, name+"-") }); i >= 0 {
		return "did you mean --" + names[i] + "?"
	}
	if name == "env" {
		return "variables are those that flow is started with; the workflow names the ones that it reads under env"
	}
	for _, other := range c.Root().Commands() {
		if other.Flags().Lookup(name) != nil {
			return "--" + name + " is a flag of " + other.CommandPath()
		}
	}
	return ""
}

// message says what is wrong with a flag in flow's own words.
func message(err error) string {
	var valueless *pflag.ValueRequiredError
	var misfit *pflag.InvalidValueError
	switch {
	case errors.As(err, &valueless):
		dashes := "--"
		if valueless.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		return dashes + valueless.GetSpecifiedName() + ": a value is missing"
	case errors.As(err, &misfit):
		reason := misfit.Unwrap()
		if misfit.GetFlag().Value.Type() == "bool" {
			reason = errors.New("true or false was expected")
		}
		return fmt.Sprintf("--%s %q: %v", misfit.GetFlag().Name, misfit.GetValue(), reason)
	}
	return err.Error()
}

// Arguments checks how many arguments a command is given; a most below 0 sets
// no bound.
func Arguments(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		hint := "usage: " + c.UseLine()
		switch {
		case len(args) < least:
			return steps.Invalid(hint, "%s: an argument is missing", c.Name())
		case most >= 0 && len(args) > most && strings.Contains(args[most], "=") && c.Flags().Lookup("input") != nil:
			return steps.Invalid("an input is given with -i "+args[most], "%s: unexpected argument %q", c.Name(), args[most])
		case most >= 0 && len(args) > most:
			return steps.Invalid(hint, "%s: unexpected argument %q", c.Name(), args[most])
		}
		return nil
	}
}
