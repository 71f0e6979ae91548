// Package flags extends cobra and pflag: flags with values of other types, the inputs of a
// workflow, and the errors of a command line in flow's words, with suggestions.
package flags

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Unknown is the error for arguments that name no command below one.
func Unknown(above *cobra.Command, args []string) error {
	var names []string
	for _, c := range above.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint := "there are " + strings.Join(names, ", ")
	if names == nil || len(args) == 0 && !above.HasParent() {
		hint = `"flow help" lists the commands`
	}
	if len(args) == 0 {
		return steps.Invalid(hint, "no command is given")
	}
	near := nearest.Of(args[0], names)
	_, absent := os.Stat(args[0])
	switch {
	case slices.Contains(names, args[0]):
		return steps.Invalid("remove what is before "+args[0], "the command comes first")
	case near != "":
		hint = "did you mean " + near + "?"
	case absent == nil:
		hint = "did you mean flow run " + args[0] + "?"
	}
	return steps.Invalid(hint, "unknown command %q", args[0])
}

// Error is the error for a wrong flag, with a suggestion. What a flag itself says of its value, with a
// hint, stays.
func Error(c *cobra.Command, err error) error {
	hint := listed(c)
	var unknown *pflag.NotExistError
	var valueless *pflag.ValueRequiredError
	var misfit *pflag.InvalidValueError
	var worded *steps.Error
	switch {
	case errors.As(err, &misfit) && errors.As(err, &worded):
		return steps.Invalid(worded.Hint, "--%s %s", misfit.GetFlag().Name, worded.Message)
	case errors.As(err, &unknown):
		letters := unknown.GetSpecifiedShortnames()
		if c.Flags().Lookup(letters) != nil && len(letters) > 1 {
			return steps.Invalid("did you mean --"+letters+"?", "unknown flag: -%s", letters)
		}
		hint = cmp.Or(hintOn(c, unknown.GetSpecifiedName()), hint)
	case errors.As(err, &valueless):
		hint = "write --" + example(c, valueless.GetFlag().Name)
	case errors.As(err, &misfit):
		hint = hintOfValue(c, misfit.GetFlag(), misfit.GetValue())
	}
	return steps.Invalid(hint, "%s", message(err))
}

// message words the error of a flag.
func message(err error) string {
	var valueless *pflag.ValueRequiredError
	var misfit *pflag.InvalidValueError
	switch {
	case errors.As(err, &valueless):
		dashes := "--"
		if valueless.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		return dashes + valueless.GetSpecifiedName() + ": the value is missing"
	case errors.As(err, &misfit):
		reason := misfit.Unwrap()
		if misfit.GetFlag().Value.Type() == "bool" {
			reason = errors.New("expected true or false")
		}
		return fmt.Sprintf("--%s %q: %v", misfit.GetFlag().Name, misfit.GetValue(), reason)
	}
	return err.Error()
}

// Arguments checks the number of arguments of all commands below one, by their usage lines.
func Arguments(above *cobra.Command) {
	for _, c := range above.Commands() {
		if c.Args == nil {
			c.Args = countArguments
		}
		Arguments(c)
	}
}

func countArguments(c *cobra.Command, args []string) error {
	names, least, many := argumentsOf(c)
	switch {
	case len(args) < least:
		return steps.Invalid(usageHint(c, args), "%s: an argument is missing", c.Name())
	case len(args) > len(names) && !many:
		return steps.Invalid(hintOnArgument(c, args, len(names)), "%s: unexpected argument %q", c.Name(), args[len(names)])
	}
	if i := slices.Index(args, ""); i >= 0 && len(names) > 0 && names[min(i, len(names)-1)] != "ARG" {
		return steps.Invalid("a variable of the shell may not be set", "%s: %s is empty", c.Name(), names[min(i, len(names)-1)])
	}
	return nil
}

// Argument returns the name of the argument of a command with an index, as its usage line has it;
// false if it takes none there.
func Argument(c *cobra.Command, i int) (name string, ok bool) {
	names, _, many := argumentsOf(c)
	if many {
		i = min(i, len(names)-1)
	}
	if i >= len(names) {
		return "", false
	}
	return names[i], true
}

// argumentsOf reads the usage line of a command: FILE is required, [FILE] is not, and of the last
// one there may be many if it is FILE… or [FILE…].
func argumentsOf(c *cobra.Command) (names []string, least int, many bool) {
	words := strings.Fields(c.Use)
	for i, word := range words[1:] {
		if strings.HasPrefix(word, "--") || strings.HasPrefix(words[i], "--") {
			continue // a flag, and its value
		}
		if inner, optional := strings.CutPrefix(word, "["); optional {
			word = strings.TrimSuffix(inner, "]")
		} else {
			least++
		}
		word, many = strings.CutSuffix(word, "…")
		names = append(names, word)
	}
	return names, least, many
}

// usageHint shows how a command is called, with the workflows that are here if the first
// argument is one and missing.
func usageHint(c *cobra.Command, args []string) string {
	hint := "usage: " + c.UseLine()
	files, err := filepath.Glob("*.y*ml")
	files = slices.DeleteFunc(files, func(file string) bool {
		return strings.Contains(file, ".script.y") || strings.Contains(file, ".test.y")
	})
	const few = 5
	if first, _ := Argument(c, 0); err != nil || len(args) > 0 || first != "FILE" || len(files) == 0 || len(files) > few {
		return hint
	}
	return hint + "; workflows here: " + strings.Join(files, ", ")
}

// hintOnArgument says what was meant by an argument behind the most that a command takes.
func hintOnArgument(c *cobra.Command, args []string, most int) string {
	extra := args[most]
	if c.Flags().Lookup("input") != nil {
		if strings.Contains(extra, "=") {
			return "to give an input: -i " + extra
		}
		given, _ := c.Flags().GetStringArray("input")
		for _, name := range given {
			if !strings.Contains(name, "=") {
				return fmt.Sprintf("write an input as one word: -i %s=%s", name, extra)
			}
		}
	}
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	if near := nearest.Of(extra, names); near != "" {
		return "did you mean " + c.CommandPath() + " " + near + "?"
	}
	if strings.HasSuffix(c.Use, " [ARG]") {
		return fmt.Sprintf("quote ARG: '%s'", strings.Join(args[most-1:], " "))
	}
	return usageHint(c, args)
}
