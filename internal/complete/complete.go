// Package complete completes the command lines of flow: it finds the words with which one may
// go on. Behind a tab stands what a shell may show beside a word. A mistake in the command
// line completes with nothing: nobody is told of mistakes while they type.
package complete

import (
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/journal"
)

const (
	noFiles = cobra.ShellCompDirectiveNoFileComp
	noSpace = noFiles | cobra.ShellCompDirectiveNoSpace
	ordered = noFiles | cobra.ShellCompDirectiveKeepOrder
)

// A Loader loads a workflow without fetching anything. It returns nil for one with mistakes.
type Loader func(file string) *host.Loaded

// Yaml completes any number of YAML files.
func Yaml(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// Workflow completes the one workflow that a command takes.
func Workflow(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, noFiles
	}
	return Yaml(c, args, begun)
}

// Lock completes the workflow of a lock and, for an update, the references in the lock.
func Lock(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if update, err := c.Flags().GetBool("update"); err != nil || !update {
		return Workflow(c, args, begun)
	}
	file := recipe.File
	if len(args) > 0 {
		if _, isRef, _ := recipe.Parse(args[0]); !isRef {
			file = args[0]
		}
	}
	words, ok := references(file, args)
	if ok && len(args) == 0 {
		return words, cobra.ShellCompDirectiveDefault
	}
	return words, noFiles
}

// Call completes a workflow, a tool of the step that is named, and what may be a path.
func Call(load Loader, step *string) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		switch len(args) {
		case 0:
			return Yaml(c, args, begun)
		case 1:
			return fromWorkflow(load, ordered, func(w *host.Loaded) []string { return w.StepTools(*step) })(c, args, begun)
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// Kind completes the kind of a new workflow, and then a folder.
func Kind(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return kinds(), ordered
}

// Model completes a provider or a known model.
func Model(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return models(), noSpace
}

// Runs completes runs up to a number of them, the last one first. None is offered twice.
func Runs(most int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) (ids []string, _ cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, noFiles
		}
		runs, _ := journal.Runs(host.RunsFolder)
		for _, dir := range runs {
			if id := filepath.Base(dir); !slices.Contains(args, id) {
				ids = append(ids, id)
			}
		}
		return ids, cobra.ShellCompDirectiveKeepOrder
	}
}

// RunAndUnit completes a run, and then one of its steps.
func RunAndUnit(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return Runs(1)(c, args, begun)
	}
	return fromRun(ordered, units)(c, args, begun)
}

// fromWorkflow completes with words of the workflow that is named already.
func fromWorkflow(load Loader, as cobra.ShellCompDirective, words func(w *host.Loaded) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			if w := load(args[0]); w != nil {
				return words(w), as | cobra.ShellCompDirectiveKeepOrder
			}
		}
		return nil, noFiles
	}
}

// fromRun completes with words of the run that is named already, or of the last one.
func fromRun(as cobra.ShellCompDirective, words func(dir string) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) (all []string, _ cobra.ShellCompDirective) {
		name := ""
		if len(args) > 0 {
			name = args[0]
		}
		if dir, err := journal.Find(host.RunsFolder, name); err == nil {
			all = words(dir)
		}
		return all, as
	}
}

// Flags gives each flag of a command, and of those below it, what completes it.
func Flags(c *cobra.Command, load Loader) {
	folders := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	waiting := fromRun(noSpace, calls)
	named := map[string]cobra.CompletionFunc{
		"workspace": folders, "run-dir": folders, "model": Model,
		"input": fromWorkflow(load, noSpace, inputs), "step": fromWorkflow(load, noFiles, steps),
		"answer": fromRun(noSpace, answers), "approve": waiting, "deny": waiting,
	}
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		words := named[flag.Name]
		if few := flags.Words(flag.Value); few != nil {
			words = cobra.FixedCompletions(few, noFiles)
		}
		if words == nil {
			return
		}
		if err := c.RegisterFlagCompletionFunc(flag.Name, words); err != nil {
			panic(err) // it was registered before
		}
	})
	for _, inner := range c.Commands() {
		Flags(inner, load)
	}
}
