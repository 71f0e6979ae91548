package host

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// homeOf returns where the paths in the rules of a layer start.
func homeOf(layer runner.Layer, scope runner.ToolScope) string {
	return cmp.Or(layer.Workspace, scope.Workspace)
}

// ownHome returns where the paths in the rules of a scope's workflow start. The step's own workspace is
// in it.
func ownHome(scope runner.ToolScope) string {
	if len(scope.Layers) == 0 {
		return scope.Workspace
	}
	return homeOf(scope.Layers[len(scope.Layers)-1], scope)
}

// policyOf combines the rules of a scope's layers. Each workflow is a domain of its own, in whose rules
// paths start at its workspace. All of them have to agree: a used workflow can narrow its caller's rules,
// never widen them. Held reports whether commands run held. Served are the tools of servers that have
// announced them.
func (b *toolboxes) policyOf(scope runner.ToolScope, protected []string, held func() bool, served ...serverTool) (*permission.Policy, error) {
	domains, err := b.domainsOf(scope)
	if err != nil {
		return nil, err
	}
	config := permission.Config{
		Root: scope.Workspace, Home: b.env.home(),
		Protected: protected, Hooks: b.hooksAround(scope.Workspace), Guarded: b.guarded, Records: recordsBeside(scope.Run),
		Held: held, Tools: scope.Tools, Custom: customNames(scope.Workflow), Named: b.env.toolNames(), Domains: domains,
	}
	if len(domains) > 0 && domains[0].Root != scope.Workspace {
		config.Root, config.Part = domains[0].Root, scope.Workspace
	}
	if scope.Outputs != "" {
		config.Readable = []string{scope.Outputs}
	}
	for _, t := range served {
		config.MCP = append(config.MCP, t.announced())
	}
	policy, err := permission.New(config)
	if err != nil {
		return nil, configuration("", "permissions: %v", err)
	}
	return policy, nil
}

// domainsOf returns the rules of a scope's layers.
func (b *toolboxes) domainsOf(scope runner.ToolScope) (all []permission.Domain, err error) {
	layers := scope.Layers
	for i, layer := range layers {
		domain := domainOf(layer.Workflow.Permissions, layer.Step)
		domain.Name, domain.Root = layer.Workflow.Shown, homeOf(layer, scope)
		if domain.Filled, err = b.filled(layer); err != nil {
			return nil, err
		}
		switch { // a step with rules of its own, and those of the agent that it takes
		case i+1 < len(layers) && layers[i+1].Workflow == layer.Workflow:
			domain.Name = "the rules of its agent in " + domain.Name
		case i > 0 && layers[i-1].Workflow == layer.Workflow:
			domain.Name = "the rules of the step in " + domain.Name
		}
		all = append(all, domain)
	}
	return all, nil
}

// filled returns the patterns of a layer that have expressions, with their values.
func (b *toolboxes) filled(layer runner.Layer) (map[string]string, error) {
	filled := map[string]string{}
	for r := range rulesWithValues(layer.Workflow.Permissions, layer.Step) {
		if b.options.Foreign && r.Values.Words() != workflows.OwnWords {
			return nil, steps.Invalid("a rule that names the path itself can take its place", "%v: the rule with the pattern %q can't be used, because it has an input, and a model may have chosen the inputs of this run", r.Pos, r.Pattern)
		}
		text, err := r.Values.Escaped(layer.Env, permission.PathValue)
		if err != nil && b.unknown {
			text, err = r.Values.With(unknownValue), nil
		}
		if err != nil {
			return nil, steps.Invalid("", "%v: the rule with the pattern %q can't be used, because of the value of its expression: %w", r.Pos, r.Pattern, err)
		}
		filled[r.Pattern] = text
	}
	return filled, nil
}

// unknownValue stands in a pattern for a value that is not known.
const unknownValue = "…"

// rulesWithValues are the rules whose patterns have expressions.
func rulesWithValues(layers ...workflows.Permissions) iter.Seq[workflows.Rule] {
	return func(yield func(workflows.Rule) bool) {
		for _, layer := range layers {
			for _, key := range slices.Sorted(maps.Keys(layer)) {
				for _, r := range layer[key] {
					if r.Values != nil && !yield(r) {
						return
					}
				}
			}
		}
	}
}

// about decides about a call of which only the argument that rules judge is known.
func about(policy *permission.Policy, tool, argument string) permission.Decision {
	input, err := mainInput(tool, argument)
	if err != nil {
		return permission.Decision{Reason: err.Error()}
	}
	return policy.Decide(permission.Call{Tool: tool, Input: input})
}

// A guard judges the calls of a step by its policy.
type guard struct{ *permission.Policy }

// Decide implements [tools.Guard].
func (g guard) Decide(_ context.Context, tool string, arguments json.RawMessage) tools.Decision {
	return toolsDecision(g.Policy.Decide(permission.Call{Tool: tool, Input: arguments}))
}

// toolsDecision returns a denial for a verdict that it does not know.
func toolsDecision(d permission.Decision) tools.Decision {
	verdict := tools.Deny
	switch d.Verdict {
	case permission.Allow:
		verdict = tools.Allow
	case permission.Ask:
		verdict = tools.Ask
	}
	return tools.Decision{Verdict: verdict, Rule: d.Rule, Reason: d.Reason}
}
