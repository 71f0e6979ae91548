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

// Commands completes the arguments and the flags of all commands below one, by the names that help
// has for them. The function load loads a workflow without fetching anything; it returns nil for one
// with mistakes.
func Commands(root *cobra.Command, load func(file string) *host.Loaded) {
	folders := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	waiting := fromRun(noSpace, calls)
	table{
		arguments: map[string]cobra.CompletionFunc{
			"FILE": yaml, "FILE|FOLDER|REF": yaml, "KIND|REF": kinds, "FOLDER": folders, "PROVIDER[/MODEL]": models,
			"RUN": runs, "UNIT": fromRun(ordered, units), "TOOL": fromWorkflow(load, ordered, tools),
		},
		flags: map[string]cobra.CompletionFunc{
			"workspace": folders, "run-dir": folders, "model": models,
			"input": fromWorkflow(load, noSpace, inputs), "step": fromWorkflow(load, noFiles, steps),
			"answer": fromRun(noSpace, answers), "approve": waiting, "deny": waiting,
		},
	}.complete(root)
}

// A table has completions by the names of arguments and flags.
type table struct {
	arguments, flags map[string]cobra.CompletionFunc
}

// complete completes the commands below one.
func (t table) complete(above *cobra.Command) {
	for _, c := range above.Commands() {
		if c.ValidArgsFunction == nil {
			c.ValidArgsFunction = t.completeArgument
		}
		c.Flags().VisitAll(func(flag *pflag.Flag) {
			value := t.flags[flag.Name]
			if words := flags.Words(flag.Value); words != nil {
				value = cobra.FixedCompletions(words, noFiles)
			}
			if value == nil {
				return
			}
			if err := c.RegisterFlagCompletionFunc(flag.Name, value); err != nil {
				panic(err) // it was registered before
			}
		})
		t.complete(c)
	}
}

// completeArgument completes the next argument of a command; with files where its name says nothing else.
func (t table) completeArgument(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	next, ok := flags.Argument(c, len(args))
	switch argument := t.arguments[next]; {
	case !ok:
		return nil, noFiles
	case argument != nil:
		return argument(c, args, begun)
	}
	return nil, cobra.ShellCompDirectiveDefault
}

func yaml(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// Lock completes the workflow of a lock and, for an update, the references in the lock.
func Lock(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	update, err := c.Flags().GetBool("update")
	switch {
	case (err != nil || !update) && len(args) == 0:
		return yaml(c, args, begun)
	case err != nil || !update:
		return nil, noFiles
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

// runs completes runs, the last one first. None is offered twice.
func runs(_ *cobra.Command, args []string, _ string) (ids []string, _ cobra.ShellCompDirective) {
	dirs, _ := journal.Runs(host.RunsFolder)
	for _, dir := range dirs {
		if id := filepath.Base(dir); !slices.Contains(args, id) {
			ids = append(ids, id)
		}
	}
	return ids, cobra.ShellCompDirectiveKeepOrder
}

// fromWorkflow completes with words of the workflow that is named already.
func fromWorkflow(load func(file string) *host.Loaded, as cobra.ShellCompDirective, words func(c *cobra.Command, w *host.Loaded) []string) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			if w := load(args[0]); w != nil {
				return words(c, w), as | cobra.ShellCompDirectiveKeepOrder
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
