package main

import (
	"github.com/spf13/cobra"
)

func (p *program) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print what a shell needs to complete flow's commands: bash, zsh, fish or powershell",
		Example: `  source <(flow completion bash)
  flow completion fish > ~/.config/fish/completions/flow.fish`,
		Args:      arguments(1, 1),
		ValidArgs: shells,
		RunE: func(c *cobra.Command, args []string) error {
			word := oneOf(shells...)
			if err := word.Set(args[0]); err != nil {
				return usage("", "completion %q: %v", args[0], err)
			}
			root := c.Root()
			switch word.value {
			case "bash":
				return root.GenBashCompletionV2(p.stdout, true)
			case "zsh":
				return root.GenZshCompletion(p.stdout)
			case "fish":
				return root.GenFishCompletion(p.stdout, true)
			}
			return root.GenPowerShellCompletionWithDesc(p.stdout)
		},
	}
}
