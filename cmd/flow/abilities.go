package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// codeAbility is the code of diagnostics about what models can't do.
const codeAbility = "ability"

// checkAbilities tells where a workflow asks a model for what it can't do. It is
// an error where the model must not be asked for it, and a warning where
// something else is done in its place. A model whose name hangs on an expression
// is not looked at.
func (p *program) checkAbilities(w *workflows.Workflow) workflows.Diagnostics {
	c := abilityChecker{registry: p.registry(w, "")}
	for _, w := range used(w) {
		for _, step := range leaves(w.Steps) {
			if step.Agent == nil || step.Agent.Model == nil {
				continue
			}
			for _, ref := range staticRefs(step.Agent.Model, w) {
				c.check(ref, step, w)
			}
		}
	}
	return c.found
}

// mustNot are the errors among diagnostics about abilities: what is no error is
// told by flow validate, and need not be told with every run.
func mustNot(found workflows.Diagnostics) workflows.Diagnostics {
	return slices.DeleteFunc(found, func(d workflows.Diagnostic) bool { return d.Severity != workflows.SeverityError })
}

// staticRefs are the references that a value names without an expression, short
// names replaced by what they stand for.
func staticRefs(named *workflows.Value, w *workflows.Workflow) []string {
	value, static := named.Static()
	if !static {
		return nil
	}
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	var refs []string
	for _, entry := range list {
		ref, _ := entry.(string)
		if short, ok := w.Models[ref]; ok {
			refs = append(refs, short...)
			continue
		}
		refs = append(refs, ref)
	}
	return refs
}

type abilityChecker struct {
	registry *registry
	found    workflows.Diagnostics
}

// check looks at what one step asks of one model.
func (c *abilityChecker) check(ref string, step *workflows.Step, w *workflows.Workflow) {
	provider, name, _ := strings.Cut(ref, "/")
	if provider == scriptProvider {
		return
	}
	e, _ := c.registry.endpoint(provider, w) // what a missing key keeps from being asked has its abilities all the same
	if e.api == "" {
		return
	}
	info := c.registry.connect(e, ref, provider, name).Info()
	info.Ref = knownAs(ref, w)
	wants := providers.Wants{
		Params: providers.Params(step.Agent.Params), Tools: len(step.Agent.Tools) > 0,
		Output: step.Output.Kind == workflows.OutputSchema,
	}
	for _, s := range providers.Shortfalls(e.api, info, wants) {
		c.add(ref, step, s)
	}
}

// add keeps a diagnostic once: what stands at the top of a file is met with each
// of its steps.
func (c *abilityChecker) add(ref string, step *workflows.Step, s providers.Shortfall) {
	at := step.Agent.Model.Position()
	severity, hint := workflows.SeverityWarning, s.Instead
	if s.Instead == "" {
		severity, hint = workflows.SeverityError, fmt.Sprintf("leave %s out, or name another model", s.Key)
	}
	d := diagnosticAt(at, severity, codeAbility, fmt.Sprintf("%s: %s: %s", s.Key, ref, s.Message), hint)
	if !slices.Contains(c.found, d) {
		c.found = append(c.found, d)
	}
}

// knownAs is the reference under which flow's table has a model: a provider of
// the user's own may be a vendor by another name.
func knownAs(ref string, w *workflows.Workflow) string {
	provider, name, _ := strings.Cut(ref, "/")
	own, isOwn := w.Providers[provider]
	if !isOwn {
		return ref
	}
	if vendor := providers.VendorAt(own.BaseURL); vendor != "" {
		return vendor + "/" + name
	}
	return ref
}
