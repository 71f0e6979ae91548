package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/view"
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
	lock, err := recipe.ReadLock(recipe.LockOf(file))
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	for _, locked := range lock.Recipes {
		if !slices.Contains(args, locked.Reference) {
			words = append(words, described(locked.Reference, locked.At()))
		}
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
		o := p.loadOptions(context.Background(), args[0])
		o.NoScripts = true
		w, _ := host.Load(args[0], o)
		if w == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words(w), as | cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// inputWords are the workflow's inputs, as -i takes them.
func inputWords(w *host.Loaded) []string {
	var words []string
	for _, in := range w.Inputs {
		words = append(words, described(in.Name+"=", in.Description))
	}
	return words
}

// described is a word with what a shell may show beside it.
func described(word, text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return cobra.CompletionWithDesc(word, term.Visible(line))
}

// judgedSteps are the paths of the steps whose calls are judged, as far as there is room.
func judgedSteps(w *host.Loaded) (paths []string) {
	const most = 1000
	for path, step := range w.Paths() {
		if len(paths) == most {
			break
		}
		if step.Agent != nil || step.Call != nil {
			paths = append(paths, path)
		}
	}
	return paths
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
	words := providers.KnownModels()
	for _, name := range host.ProviderNames() {
		words = append(words, name+"/")
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
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
	var paths []string
	if dir, err := findRun(args); err == nil {
		if past, err := view.ReadPast(dir); err == nil {
			for _, step := range past.Steps {
				paths = append(paths, step.Path)
			}
		}
	}
	return paths, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// waitWords complete what a run waits for that fits, as words says; the run is the one
// that is named, or the last one.
func waitWords(words func(w *runner.Wait) []string) completer {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var all []string
		if dir, err := findRun(args); err == nil {
			if past, err := view.ReadPast(dir); err == nil {
				for i := range past.Waits {
					all = append(all, words(&past.Waits[i])...)
				}
			}
		}
		return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// answerWords are the answers that a question takes, or what they begin with.
func answerWords(w *runner.Wait) (words []string) {
	if w.IsCall() {
		return nil
	}
	for _, choice := range w.Choices {
		words = append(words, w.Address()+"="+choice)
	}
	if words == nil {
		words = []string{described(w.Address()+"=", w.Question)}
	}
	return words
}

// callWords is a call that waits.
func callWords(w *runner.Wait) []string {
	if !w.IsCall() {
		return nil
	}
	return []string{described(w.Address(), view.Call(w.Tool, w.Arguments))}
}

// completeFlags gives each flag of a command, and of those below it, what completes it.
func completeFlags(c *cobra.Command) {
	folders := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	named := map[string]completer{
		"workspace": folders, "run-dir": folders, "model": modelWords,
		"input": fromWorkflow(inputWords, cobra.ShellCompDirectiveNoSpace), "step": fromWorkflow(judgedSteps, cobra.ShellCompDirectiveDefault),
		"answer": waitWords(answerWords), "approve": waitWords(callWords), "deny": waitWords(callWords),
	}
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		complete := named[flag.Name]
		if one, is := flag.Value.(*parsed[string]); is {
			complete = cobra.FixedCompletions(one.words, cobra.ShellCompDirectiveNoFileComp)
		}
		if complete == nil {
			return
		}
		if err := c.RegisterFlagCompletionFunc(flag.Name, complete); err != nil {
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
		Args:      arguments(1, 1),
		ValidArgs: shells,
		RunE: func(c *cobra.Command, args []string) error {
			if err := among(shells, args[0]); err != nil {
				return usage("", "completion %q: %v", args[0], err)
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
