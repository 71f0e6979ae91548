package complete

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/internal/scaffold"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// word is a word with the first line of a text beside it.
func word(word, text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return word + "\t" + term.Visible(line)
}

// inputs are those of a workflow, up to their values.
func inputs(_ *cobra.Command, w *host.Loaded) (words []string) {
	for _, in := range w.Inputs {
		words = append(words, word(in.Name+"=", in.Description))
	}
	return words
}

// steps are the paths of the steps that make calls, up to a limit.
func steps(_ *cobra.Command, w *host.Loaded) (paths []string) {
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

// tools are those of the step that a flag names.
func tools(c *cobra.Command, w *host.Loaded) []string {
	return w.StepTools(c.Flag("step").Value.String())
}

// models are the known models, and the providers.
func models(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	words := providers.KnownModels()
	for _, name := range host.ProviderNames() {
		words = append(words, name+"/")
	}
	return words, noSpace
}

// kinds are the kinds of new workflows.
func kinds(*cobra.Command, []string, string) (words []string, _ cobra.ShellCompDirective) {
	for _, k := range scaffold.Kinds() {
		words = append(words, word(k.Name, k.About))
	}
	return words, ordered
}

// references are those of the lock beside a workflow, but for some that are named already.
// It reports false if there is no lock.
func references(file string, but []string) (words []string, ok bool) {
	lock, err := recipe.ReadLock(recipe.LockOf(file))
	if err != nil {
		return nil, false
	}
	for _, locked := range lock.Recipes {
		if !slices.Contains(but, locked.Reference) {
			words = append(words, word(locked.Reference, locked.At()))
		}
	}
	return words, true
}

// units are the paths of the steps of the run in a folder.
func units(dir string) (paths []string) {
	if past, err := view.ReadPast(dir); err == nil {
		for _, step := range past.Steps {
			paths = append(paths, step.Path)
		}
	}
	return paths
}

// waits are the words for all that the run in a folder waits for.
func waits(dir string, words func(w *runner.Wait) []string) (all []string) {
	if past, err := view.ReadPast(dir); err == nil {
		for i := range past.Waits {
			all = append(all, words(&past.Waits[i])...)
		}
	}
	return all
}

// answers are the possible answers to the questions of the run in a folder, or their beginnings.
func answers(dir string) []string {
	return waits(dir, func(w *runner.Wait) (words []string) {
		for _, choice := range w.Choices {
			words = append(words, w.Address()+"="+choice)
		}
		if words == nil && !w.IsCall() {
			words = []string{word(w.Address()+"=", w.Question)}
		}
		return words
	})
}

// calls are the waiting calls of the run in a folder.
func calls(dir string) []string {
	return waits(dir, func(w *runner.Wait) []string {
		if !w.IsCall() {
			return nil
		}
		return []string{word(w.Address(), view.Call(w.Tool, w.Arguments))}
	})
}
