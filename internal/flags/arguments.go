package flags

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/steps"
)

// Arguments checks the number of arguments of all commands below one, by their usage lines. Their
// help lists flags in the order in which they were added.
func Arguments(above *cobra.Command) {
	for _, c := range above.Commands() {
		c.Flags().SortFlags = false
		if c.Args == nil {
			c.Args = countArguments
		}
		Arguments(c)
	}
}

// hintQuoted is the hint for what stands behind the last argument of a command that takes a text.
const hintQuoted = "quote a text of several words, as in bash 'git log -3': it is one argument"

// endsInText reports whether the last argument is a text, such as a command line.
func endsInText(names []string) bool { return len(names) > 0 && names[len(names)-1] == "ARG" }

func countArguments(c *cobra.Command, args []string) error {
	names, required, many := argumentsOf(c)
	usage := "usage: " + c.UseLine()
	switch {
	case len(args) < required:
		return steps.Invalid(usage, "%s: an argument is missing", c.Name())
	case len(args) > len(names) && !many && c.HasSubCommands():
		return Unknown(c, args[len(names):])
	case len(args) > len(names) && endsInText(names):
		return steps.Invalid(hintQuoted, "%s: unexpected argument %q", c.Name(), args[len(names)])
	case len(args) > len(names) && !many:
		return steps.Invalid(usage, "%s: unexpected argument %q", c.Name(), args[len(names)])
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
func argumentsOf(c *cobra.Command) (names []string, required int, many bool) {
	words := strings.Fields(c.Use)
	for i, word := range words[1:] {
		if strings.HasPrefix(word, "--") || strings.HasPrefix(words[i], "--") {
			continue // a flag, and its value
		}
		if inner, optional := strings.CutPrefix(word, "["); optional {
			word = strings.TrimSuffix(inner, "]")
		} else {
			required++
		}
		word, many = strings.CutSuffix(word, "…")
		names = append(names, word)
	}
	return names, required, many
}
