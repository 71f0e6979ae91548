package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// An abilityChecker reports steps that ask a model for something that it can't do. That is an error,
// or a warning if there is a substitute. A model whose name depends on steps that have not run is
// not checked.
type abilityChecker struct {
	findings
	models *Models
	looked map[modelKey]modelAbilities // those that steps have asked until now
}

// mistakes returns the errors. Warnings about substitutes are given when the file is checked, and
// not with every run.
func (c *abilityChecker) mistakes() workflows.Diagnostics {
	return slices.DeleteFunc(c.found, func(d workflows.Diagnostic) bool { return d.Severity != workflows.SeverityError })
}

// modelAbilities are the wire format of a model, and its abilities.
type modelAbilities struct {
	api   string // its wire format; "" for one that is not looked at
	obeys bool   // it follows a schema
	local bool   // it runs on this machine
	knowledge
}

// abilitiesOf finds the model of a reference.
func (c *abilityChecker) abilitiesOf(of modelKey) modelAbilities {
	if m, found := c.looked[of]; found {
		return m
	}
	var m modelAbilities
	provider, name, _ := strings.Cut(of.ref, "/")
	own, _ := c.models.env.model(of.ref)
	if provider != scriptProvider && own == nil {
		e, _ := c.models.endpoint(provider, of.w) // what a missing key keeps from being asked has its abilities all the same
		m.api = e.api
		if e.api != "" {
			m.obeys = c.models.connect(e, of.ref, provider, name).Info().StructuredOutput
			m.knowledge = e.known(of.ref, name)
			m.local = e.api == apiOllama && e.BaseURL == "" || isLoopback(e.BaseURL)
		}
	}
	c.looked[of] = m
	return m
}

// check compares the needs of one step with one model.
func (c *abilityChecker) check(ref string, step *workflows.Step, named runner.Naming) {
	m := c.abilitiesOf(modelKey{ref, named.By})
	if m.api == "" {
		return
	}
	wants := providers.Wants{
		Params: providers.Params(step.Agent.Params), Tools: len(step.Agent.Tools) > 0,
		Output: step.Output.Kind == workflows.OutputSchema,
	}
	if m.local && wants.Params.MaxOutputTokens == 0 {
		c.add(positionOfModel(named, step), workflows.SeverityWarning, diagnostic.CodeAbility, fmt.Sprintf("params.max_output_tokens: %s runs on this machine, and nothing limits the length of its answers", ref),
			"a small model may repeat itself for hours; set max_output_tokens, such as 8_000")
	}
	for _, s := range providers.Shortfalls(m.api, m.Known, m.reasoning, m.obeys, wants) {
		at := positionOfModel(named, step)
		if s.Key == "output" {
			at = step.Pos
			if _, own := named.By.Providers[providerOf(ref)]; own && s.Instead != "" {
				s.Instead += "; if the service supports it, set structured_output: true under providers"
			}
		}
		code := diagnostic.CodeAbility
		if named.At == nil { // the command line names it: the file has no mistake
			code = diagnostic.CodeModel
		}
		c.tell(at, code, ref, s)
	}
}

// tell adds the diagnostic of one missing ability.
func (c *abilityChecker) tell(at workflows.Position, code, ref string, s providers.Shortfall) {
	severity, hint := workflows.SeverityWarning, s.Instead
	if s.Instead == "" {
		severity, hint = workflows.SeverityError, fmt.Sprintf("remove %s, or use another model", s.Key)
	}
	c.add(at, severity, code, fmt.Sprintf("%s: %s: %s", s.Key, ref, s.Message), hint)
}

// knownAs is the reference of a model in flow's table: a provider of the user's own may be a vendor
// by another name.
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
