package main

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
)

// rootCommand is flow with all of its commands. Errors are told by conclude, in
// flow's own way, so cobra prints none.
func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "flow",
		Short: "Run declarative workflows of agents and commands",
		Long: `flow runs workflows: YAML files that say what models and commands do, in which
order, with which tools, and what they may touch.

  flow validate docs-gen.yaml      every mistake of a file
  flow run docs-gen.yaml           run it
  flow show                        what the last run did`,
		Args:          cobra.ArbitraryArgs,
		RunE:          func(c *cobra.Command, args []string) error { return unknownCommand(c, args) },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Version = version()
	root.SetVersionTemplate(versionLine())
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand())
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(
		p.initCommand(), p.runCommand(), p.resumeCommand(), p.testCommand(), p.mcpCommand(), p.validateCommand(), p.explainCommand(), p.schemaCommand(), p.showCommand(), p.runsCommand(), p.diffCommand(),
		p.lockCommand(), p.fetchCommand(), p.pushCommand(), p.toolsCommand(), p.functionsCommand(), p.modelsCommand(), p.cacheCommand(), p.doctorCommand(), p.versionCommand(), p.completionCommand(),
	)
	completeFlags(root)
	return root
}

// helpCommand stands for cobra's own, which takes an unknown topic for a success.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			switch {
			case err == nil && len(rest) > 0 && about != c.Root():
				return usage(`"flow help" lists the commands`, "unknown command %q", strings.Join(args, " "))
			case err != nil || len(rest) > 0:
				return unknownCommand(c.Root(), args)
			}
			return about.Help()
		},
	}
}

// unknownCommand is what flow says where no command is named.
func unknownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usage(`"flow help" lists the commands`, "no command is named")
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint := "there are " + strings.Join(names, ", ")
	if slices.Contains(names, args[0]) {
		return usage("leave out what stands before "+args[0], "the command stands first")
	}
	if near := nearest.Of(args[0], names); near != "" {
		hint = "did you mean " + near + "?"
	} else if _, err := os.Stat(args[0]); err == nil {
		hint = "did you mean flow run " + args[0] + "?"
	}
	return usage(hint, "unknown command %q", args[0])
}

// flagError is the error for a flag that is wrong, with the one that may have been meant.
func flagError(c *cobra.Command, err error) error {
	hint := `"` + c.CommandPath() + ` --help" lists the flags`
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if unknown.GetSpecifiedShortnames() == "" {
			hint = cmp.Or(flagHint(c, unknown.GetSpecifiedName(), names), hint)
		}
	}
	return usage(hint, "%s", flagMessage(err))
}

// flagHint says what was meant by a flag that a command does not have: one of its own
// names, or another command's; "" where it is near none.
func flagHint(c *cobra.Command, name string, names []string) string {
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

// flagMessage says what is wrong with a flag in flow's own words.
func flagMessage(err error) string {
	var valueless *pflag.ValueRequiredError
	var misfit *pflag.InvalidValueError
	switch {
	case errors.As(err, &valueless):
		return flagName(valueless.GetSpecifiedName(), valueless.GetSpecifiedShortnames()) + ": a value is missing"
	case errors.As(err, &misfit):
		reason := misfit.Unwrap()
		if misfit.GetFlag().Value.Type() == "bool" {
			reason = errors.New("true or false was expected")
		}
		return fmt.Sprintf("--%s %q: %v", misfit.GetFlag().Name, misfit.GetValue(), reason)
	}
	return err.Error()
}

// flagName is a flag as it was given: --inputs, or -i.
func flagName(name, short string) string {
	if short != "" {
		return "-" + name
	}
	return "--" + name
}

// arguments checks how many arguments a command is given; a most below 0 sets
// no bound.
func arguments(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		hint := "usage: " + c.UseLine()
		switch {
		case len(args) < least:
			return usage(hint, "%s: an argument is missing", c.Name())
		case most >= 0 && len(args) > most && strings.Contains(args[most], "=") && c.Flags().Lookup("input") != nil:
			return usage("an input is given with -i "+args[most], "%s: unexpected argument %q", c.Name(), args[most])
		case most >= 0 && len(args) > most:
			return usage(hint, "%s: unexpected argument %q", c.Name(), args[most])
		}
		return nil
	}
}
