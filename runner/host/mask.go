package host

import (
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Mask hides the values of [Loaded.Secrets].
func (l *Loaded) Mask() *tools.Mask { return tools.NewMask(l.Secrets()) }

// Secrets are the values of the workflow's secrets, of those of the workflows
// that it uses, and every key of a provider, or secret with which it gets one.
func (l *Loaded) Secrets() []string {
	return slices.Collect(maps.Values(l.namedSecrets()))
}

// namedSecrets are those by the names of their variables.
func (l *Loaded) namedSecrets() map[string]string {
	var names []string
	foreign := l.foreign()
	for _, w := range l.all {
		names = append(names, w.Secrets...)
		named := w.NamedVariables()
		for _, name := range l.env.expand(named) {
			if workflows.IsSecretName(name) && (foreign[w] || !slices.Contains(named, name)) {
				names = append(names, name) // a pattern or a stranger names it
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

// secrets are the values of the named variables, and of those that providers
// which every workflow can name have their secrets in.
func (env Environment) secrets(names []string) []string {
	return slices.Collect(maps.Values(env.namedSecrets(names)))
}

func (env Environment) namedSecrets(names []string) map[string]string {
	values := map[string]string{}
	for _, s := range services() {
		names = append(append(names, s.keyVars...), s.secretVars...)
	}
	for _, name := range env.expand(names) {
		if value := env.get(name); value != "" {
			values[name] = value
		}
	}
	return values
}
