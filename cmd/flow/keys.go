package main

import (
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// mask hides the secrets of a workflow, of those that it uses, and every key
// of a provider, or secret with which it gets one.
func (p *program) mask(w *workflows.Workflow) *tools.Mask {
	var names []string
	for _, s := range services() {
		names = append(append(names, s.keyVars...), s.secretVars...)
	}
	for _, w := range used(w) {
		names = append(names, w.Secrets...)
		for _, e := range w.Providers {
			if e.APIKeyEnv != "" {
				names = append(names, e.APIKeyEnv)
			}
		}
	}
	var values []string
	for _, name := range names {
		if value := p.env(name); value != "" {
			values = append(values, value)
		}
	}
	return tools.NewMask(values)
}
