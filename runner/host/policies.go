package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// policies are the policies over a step: one for each workspace of the workflows around it, since the
// paths in rules start at the workspace. All of them have to agree: a used workflow can narrow its
// caller's rules, never widen them.
type policies []*permission.Policy

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

// policiesOf combines the rules of a scope's layers. Each workflow is a domain of its own. Held reports
// whether commands run held. Served are the tools of servers that have announced them.
func (b *toolboxes) policiesOf(scope runner.ToolScope, protected []string, held func() bool, served ...serverTool) (all policies, err error) {
	hooks := b.hooksAround(scope.Workspace)
	for layers := scope.Layers; len(layers) > 0; {
		root, n := homeOf(layers[0], scope), 1
		for n < len(layers) && homeOf(layers[n], scope) == root {
			n++
		}
		domains, err := b.domainsOf(layers[:n])
		if err != nil {
			return nil, err
		}
		config := permission.Config{
			Root: root, Dir: scope.Workspace, Home: b.env.home(), Protected: protected, Hooks: hooks, Guarded: b.guarded, Records: recordsBeside(scope.Run),
			Held: held, Tools: scope.Tools, Custom: customNames(scope.Workflow), Named: b.env.toolNames(), Domains: domains,
		}
		if n == len(layers) && root != scope.Workspace {
			config.Part = scope.Workspace
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
		all, layers = append(all, policy), layers[n:]
	}
	return all, nil
}

// domainsOf returns the rules of layers that share a workspace.
func (b *toolboxes) domainsOf(layers []runner.Layer) (all []permission.Domain, err error) {
	for i, layer := range layers {
		domain := domainOf(layer.Workflow.Permissions, layer.Step)
		domain.Name = layer.Workflow.Shown
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

// decide returns the strictest decision of all policies about some calls. Without a policy it is a
// denial.
func (ps policies) decide(calls ...permission.Call) permission.Decision {
	var all []permission.Decision
	for _, p := range ps {
		for _, call := range calls {
			all = append(all, p.Decide(call))
		}
	}
	return strictest(all)
}

// about decides about a call of which only the argument that rules judge is known.
func (ps policies) about(tool, argument string) permission.Decision {
	input, err := mainInput(tool, argument)
	if err != nil {
		return permission.Decision{Reason: err.Error()}
	}
	return ps.decide(permission.Call{Tool: tool, Input: input})
}

// strictest returns the first of the strictest decisions; a denial if there are none.
func strictest(all []permission.Decision) (strictest permission.Decision) {
	for i, d := range all {
		if i == 0 || d.Verdict < strictest.Verdict {
			strictest = d
		}
	}
	return strictest
}

// readable reports whether a search may show the path.
func (ps policies) readable(path string) bool {
	return ps.all(func(p *permission.Policy) bool { return p.Readable(path) })
}

// read returns what all policies say of a command before it runs.
func (ps policies) read(command, dir string) (permission.Reading, error) {
	if len(ps) == 0 {
		return permission.Reading{}, errors.New("no rules allow any command")
	}
	all := permission.Reading{ReadOnly: true, OnlyGit: true, GitPrints: true, Connects: true}
	for _, p := range ps {
		own, err := p.Read(command, dir)
		if err != nil {
			return permission.Reading{}, err
		}
		all = permission.Reading{
			Script: own.Script, ReadOnly: all.ReadOnly && own.ReadOnly,
			OnlyGit: all.OnlyGit && own.OnlyGit, Beside: all.Beside || own.Beside,
			GitPrints: all.GitPrints && own.GitPrints, Connects: all.Connects && own.Connects,
		}
	}
	return all, nil
}

func (ps policies) all(holds func(*permission.Policy) bool) bool {
	return len(ps) > 0 && !slices.ContainsFunc(ps, func(p *permission.Policy) bool { return !holds(p) })
}

// Decide implements [tools.Guard].
func (ps policies) Decide(_ context.Context, tool string, arguments json.RawMessage) tools.Decision {
	return toolsDecision(ps.decide(permission.Call{Tool: tool, Input: arguments}))
}

// Offered implements [tools.Guard].
func (ps policies) Offered(tool string) bool {
	return ps.all(func(p *permission.Policy) bool { return p.Offered(tool) })
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

// mayWrite reports whether a write may end at a path to which it followed a link: a link that was made
// after the call was judged must not lead to what the rules deny. If a rule asks, the answer that was
// given counts.
func (ps policies) mayWrite(path string) bool {
	return ps.about("write", path).Verdict != permission.Deny
}

// lands returns the strictest decision about a path that a command has changed.
func (ps policies) lands(path string) permission.Decision {
	var all []permission.Decision
	for _, p := range ps {
		all = append(all, p.Lands(path))
	}
	return strictest(all)
}

// hides reports whether commands may not see the contents of a file or a folder.
func (ps policies) hides(path string, folder bool) bool {
	return slices.ContainsFunc(ps, func(p *permission.Policy) bool { return p.Hides(path, folder) })
}

// unreadable returns the absolute paths of files and folders that commands may not see.
func (ps policies) unreadable() (all []string, err error) {
	for _, p := range ps {
		found, err := p.Unreadable()
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// writable returns the folders that all policies let commands change.
func (ps policies) writable() []string {
	var open [][]string
	for _, p := range ps {
		open = append(open, p.Writable())
	}
	return paths.CommonFolders(open...)
}

// onlyGit reports whether only git could change a repository's own files in a command.
func (ps policies) onlyGit(command, dir string) bool {
	read, err := ps.read(command, dir)
	return err == nil && read.OnlyGit
}
