package flags

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/journal"
)

const (
	noFiles = cobra.ShellCompDirectiveNoFileComp
	noSpace = noFiles | cobra.ShellCompDirectiveNoSpace
)

// Complete completes the arguments and the flags of all commands below one, by the names that help
// has for them. The function load loads a workflow without fetching anything; it returns nil for one
// with mistakes.
func Complete(above *cobra.Command, load func(file string) *host.Loaded) {
	folders := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	values := map[string]cobra.CompletionFunc{
		"workspace": folders, "run-dir": folders, "model": models,
		"input": fromWorkflow(load, inputNames, noSpace), "step": fromWorkflow(load, stepPaths, noFiles),
	}
	for _, c := range above.Commands() {
		if c.ValidArgsFunction == nil {
			c.ValidArgsFunction = completeArgument
		}
		c.Flags().VisitAll(func(flag *pflag.Flag) {
			value := values[flag.Name]
			if words := Words(flag.Value); words != nil {
				value = cobra.FixedCompletions(words, noFiles)
			}
			if value != nil {
				_ = c.RegisterFlagCompletionFunc(flag.Name, value) // the flag exists
			}
		})
		Complete(c, load)
	}
}

// completeArgument completes the next argument of a command; with files where its name says nothing else.
func completeArgument(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	switch next, ok := Argument(c, len(args)); {
	case !ok:
		return nil, noFiles
	case next == "RUN":
		return runs(args)
	case next == "PROVIDER[/MODEL]":
		return models(c, args, begun)
	case next == "FOLDER":
		return nil, cobra.ShellCompDirectiveFilterDirs
	case strings.HasPrefix(next, "FILE"):
		return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// models are the known models, and the providers.
func models(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	words := providers.KnownModels()
	for _, name := range host.ProviderNames() {
		words = append(words, name+"/")
	}
	return words, noSpace
}

// runs are the runs that are not on the command line yet, the last one first.
func runs(args []string) (ids []string, _ cobra.ShellCompDirective) {
	dirs, _ := journal.Runs(host.RunsFolder)
	for _, dir := range dirs {
		if id := filepath.Base(dir); !slices.Contains(args, id) {
			ids = append(ids, id)
		}
	}
	return ids, cobra.ShellCompDirectiveKeepOrder
}

// fromWorkflow completes with words of the workflow that is the first argument.
func fromWorkflow(load func(file string) *host.Loaded, words func(w *host.Loaded) []string, as cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			if w := load(args[0]); w != nil {
				return words(w), as | cobra.ShellCompDirectiveKeepOrder
			}
		}
		return nil, noFiles
	}
}

// inputNames are those of a workflow, up to their values.
func inputNames(w *host.Loaded) (words []string) {
	for _, in := range w.Inputs {
		about, _, _ := strings.Cut(strings.TrimSpace(in.Description), "\n")
		words = append(words, in.Name+"=\t"+term.Visible(about))
	}
	return words
}

// stepPaths are the paths of the steps that make calls, up to a limit.
func stepPaths(w *host.Loaded) (paths []string) {
	const maxSteps = 1000
	for path, step := range w.Paths() {
		if len(paths) == maxSteps {
			break
		}
		if step.Agent != nil || step.Call != nil {
			paths = append(paths, path)
		}
	}
	return paths
}
