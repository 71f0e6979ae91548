package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/steps"
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
		RunE:          flags.Unknown,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Version = version()
	root.SetVersionTemplate(versionLine())
	root.SetFlagErrorFunc(flags.Error)
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
				return steps.Invalid(`"flow help" lists the commands`, "unknown command %q", strings.Join(args, " "))
			case err != nil || len(rest) > 0:
				return flags.Unknown(c.Root(), args)
			}
			return about.Help()
		},
	}
}
