package host

import (
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Mask returns a mask that hides [Loaded.Secrets].
func (l *Loaded) Mask() *tools.Mask { return tools.NewMask(l.Secrets()) }

// Secrets returns the values of the secrets of the workflow and of those that it uses, and all
// keys of providers, with the secrets by which they get tokens.
func (l *Loaded) Secrets() []string {
	own := *l
	own.env.Given = nil // flow itself uses what these replace
	all := slices.AppendSeq(slices.Collect(maps.Values(l.namedSecrets())), maps.Values(own.namedSecrets()))
	slices.Sort(all)
	return slices.Compact(all)
}

// namedSecrets returns them by the names of their variables.
func (l *Loaded) namedSecrets() map[string]string {
	var names []string
	for _, w := range l.all {
		names = append(names, w.Secrets...)
		named := w.NamedVariables()
		for _, name := range l.env.expand(named) {
			if workflows.IsSecretName(name) && (l.foreign[w] || !slices.Contains(named, name)) {
				names = append(names, name) // a pattern, or a workflow from elsewhere, names it
			}
		}
		for _, e := range w.Providers {
			if e.APIKeyEnv != "" {
				names = append(names, e.APIKeyEnv)
			}
		}
	}
	return l.env.namedSecrets(names)
}

// namedSecrets returns the values of the named variables, and of those that hold the secrets of
// known providers.
func (env Environment) namedSecrets(names []string) map[string]string {
	values := map[string]string{}
	for _, s := range services() {
		names = append(append(names, s.keyVars...), s.secretVars...)
	}
	for _, name := range env.expand(names) {
		if value, _ := env.ofWorkflow(name); value != "" {
			values[name] = value
		}
	}
	return values
}
