package main

import "github.com/a-seed-11b9befa/flow/workflows"

// A nested workflow is one with the inputs that are known of it, and what uses it.
type nested struct {
	*workflows.Workflow
	inputs map[string]any // nil where they are not known
	caller *nested        // nil at the top
}

// naming is what names a step's model, and where: the step itself, or the nearest
// workflow around it. It is nil where nothing does.
func (w *nested) naming(own *workflows.Value) (*workflows.Value, *nested) {
	for own == nil && w.caller != nil {
		w = w.caller
		own = w.Model
	}
	return own, w
}
