package host

import "github.com/a-seed-11b9befa/flow/tools"

// Mask hides the secrets of the workflow, of those that it uses, and every key of
// a provider, or secret with which it gets one.
func (l *Loaded) Mask() *tools.Mask {
	var names []string
	for _, w := range l.all {
		names = append(names, w.Secrets...)
		for _, e := range w.Providers {
			if e.APIKeyEnv != "" {
				names = append(names, e.APIKeyEnv)
			}
		}
	}
	return l.env.mask(names)
}

// mask hides the values of the named variables, and of those that providers which
// every workflow can name have their secrets in.
func (env Environment) mask(names []string) *tools.Mask {
	for _, s := range services() {
		names = append(append(names, s.keyVars...), s.secretVars...)
	}
	var values []string
	for _, name := range names {
		if value := env.get(name); value != "" {
			values = append(values, value)
		}
	}
	return tools.NewMask(values)
}
