package flags

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
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
func Complete(root *cobra.Command, load func(file string) *host.Loaded) {
	folders := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	workflows := cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt)
	table{
		arguments: map[string]cobra.CompletionFunc{
			"FILE": workflows, "FILE|FOLDER|REF": workflows, "FOLDER": folders, "PROVIDER[/MODEL]": models, "RUN": runs,
		},
		flags: map[string]cobra.CompletionFunc{
			"workspace": folders, "run-dir": folders, "model": models,
			"input": fromWorkflow(load, inputNames, noSpace), "step": fromWorkflow(load, stepPaths, noFiles),
			"answer": waiting(false, "="), "comment": waiting(false, "="), "approve": waiting(true, ""), "deny": waiting(true, ""),
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
			if words := Words(flag.Value); words != nil {
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
	next, ok := Argument(c, len(args))
	switch argument := t.arguments[next]; {
	case !ok:
		return nil, noFiles
	case argument != nil:
		return argument(c, args, begun)
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// word is a word with the first line of a text beside it.
func word(word, text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return word + "\t" + term.Visible(line)
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
func runs(_ *cobra.Command, args []string, _ string) (ids []string, _ cobra.ShellCompDirective) {
	dirs, _ := journal.Runs(host.RunsFolder)
	for _, dir := range dirs {
		if id := filepath.Base(dir); !slices.Contains(args, id) {
			ids = append(ids, id)
		}
	}
	return ids, cobra.ShellCompDirectiveKeepOrder
}

// waiting completes with the questions, or the calls, for which a run waits: the one on the command line,
// or else the last one that waits. After follows each name.
func waiting(calls bool, after string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		dirs, _ := journal.Runs(host.RunsFolder)
		if len(args) > 0 {
			dirs = []string{filepath.Join(host.RunsFolder, args[0]), args[0]}
		}
		for _, dir := range dirs {
			r, err := runner.ReadResult(dir)
			if err != nil || len(r.Waiting) == 0 {
				continue
			}
			for _, w := range r.Waiting {
				if w.IsCall() == calls {
					names = append(names, word(w.Address()+after, w.Question+w.Tool))
				}
			}
			break
		}
		return names, noSpace
	}
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
		words = append(words, word(in.Name+"=", in.Description))
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
