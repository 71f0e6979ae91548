package main

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/complete"
	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A completer gives the words that may stand in a place of the command line, given
// the arguments before it. What does not begin as the user has begun is left out by
// the shell.
type completer = cobra.CompletionFunc

// workflowFiles completes the one workflow that a command takes.
func workflowFiles(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// lockWords completes the workflow of a lock, and what an update may be of: the
// references that the lock has.
func lockWords(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if update, err := c.Flags().GetBool("update"); err != nil || !update {
		return workflowFiles(c, args, typed)
	}
	file := recipe.File
	if len(args) > 0 {
		if _, isRef, _ := recipe.Parse(args[0]); !isRef {
			file = args[0]
		}
	}
	words, ok := complete.References(file, args)
	if !ok {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if len(args) > 0 {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	return words, cobra.ShellCompDirectiveDefault
}

// fromWorkflow completes with words of the workflow that is named already; with
// none where it has mistakes.
func fromWorkflow(words func(w *host.Loaded) []string, as cobra.ShellCompDirective) completer {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		p := newProgram()
		p.offline = true
		w, _ := host.Load(args[0], host.LoadOptions{Environment: p.environment(context.Background()), NoScripts: true})
		if w == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words(w), as | cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// complete gives the arguments of flow explain: a file, then a tool, then what may
// be a path.
func (f *explainFlags) complete(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return workflowFiles(c, args, begun)
	case 1:
		return fromWorkflow(func(w *host.Loaded) []string { return w.StepTools(f.step) }, cobra.ShellCompDirectiveDefault)(c, args, begun)
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// modelWords are the providers, and the models that are known.
func modelWords(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return complete.Models(), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// runWords are the runs that flow show finds by their ids, the last one first.
func runWords(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	runs, _ := journal.Runs(host.RunsFolder)
	for i, dir := range runs {
		runs[i] = filepath.Base(dir)
	}
	return runs, cobra.ShellCompDirectiveKeepOrder
}

// runAndUnitWords are the runs, and then the steps of the one that is named.
func runAndUnitWords(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return runWords(c, args, begun)
	}
	return fromRun(complete.Units, cobra.ShellCompDirectiveKeepOrder)(c, args, begun)
}

// fromRun completes with words of the run that is named already, or of the last one.
func fromRun(words func(dir string) []string, as cobra.ShellCompDirective) completer {
	return func(_ *cobra.Command, args []string, _ string) (all []string, _ cobra.ShellCompDirective) {
		if dir, err := findRun(args); err == nil {
			all = words(dir)
		}
		return all, as | cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFlags gives each flag of a command, and of those below it, what completes it.
func completeFlags(c *cobra.Command) {
	calls := fromRun(complete.Calls, cobra.ShellCompDirectiveNoSpace)
	folders := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	named := map[string]completer{
		"workspace": folders, "run-dir": folders, "model": modelWords,
		"input": fromWorkflow(complete.Inputs, cobra.ShellCompDirectiveNoSpace), "step": fromWorkflow(complete.Steps, cobra.ShellCompDirectiveDefault),
		"answer": fromRun(complete.Answers, cobra.ShellCompDirectiveNoSpace), "approve": calls, "deny": calls,
	}
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		words := named[flag.Name]
		if few := flags.Words(flag.Value); few != nil {
			words = cobra.FixedCompletions(few, cobra.ShellCompDirectiveNoFileComp)
		}
		if words == nil {
			return
		}
		if err := c.RegisterFlagCompletionFunc(flag.Name, words); err != nil {
			panic(err) // it was registered before
		}
	})
	for _, inner := range c.Commands() {
		completeFlags(inner)
	}
}

func (p *program) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print what a shell needs to complete flow's commands: bash, zsh, fish or powershell",
		Example: `  source <(flow completion bash)
  flow completion fish > ~/.config/fish/completions/flow.fish`,
		Args:      flags.Arguments(1, 1),
		ValidArgs: shells,
		RunE: func(c *cobra.Command, args []string) error {
			if err := flags.Among(shells, args[0]); err != nil {
				return steps.Invalid("", "completion %q: %v", args[0], err)
			}
			root := c.Root()
			switch args[0] {
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
