package host

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

// policies are the policies over a step: one for each workspace of the workflows around it, since the
// paths in rules start at the workspace. All of them have to agree: a used workflow can narrow its
// caller's rules, never widen them.
type policies []*permission.Policy

// homeOf is the workspace of a step's workflow, where the paths in its rules start. The step's own is
// in it.
func homeOf(scope runner.ToolScope) string {
	if len(scope.Layers) == 0 {
		return scope.Workspace
	}
	return cmp.Or(scope.Layers[len(scope.Layers)-1].Workspace, scope.Workspace)
}

// newPolicies combines the rules of a step's layers. Each workflow is a domain of its own. Protected
// files are never written, guarded ones if a rule spells their whole path. Served are the servers that have announced their tools. Held reports
// whether commands run held; nil: they don't.
func (env Environment) newPolicies(scope runner.ToolScope, protected, guarded []string, held func() bool, served ...serverTool) (policies, error) {
	var all policies
	home := func(l runner.Layer) string { return cmp.Or(l.Workspace, scope.Workspace) }
	for layers := scope.Layers; len(layers) > 0; {
		n := 1
		for n < len(layers) && home(layers[n]) == home(layers[0]) {
			n++
		}
		part := ""
		if n == len(layers) && home(layers[0]) != scope.Workspace {
			part = scope.Workspace
		}
		policy, err := env.newPolicy(scope, home(layers[0]), part, layers[:n], protected, guarded, held, served)
		if err != nil {
			return nil, err
		}
		all = append(all, policy)
		layers = layers[n:]
	}
	return all, nil
}

// newPolicy returns the policy of layers that share a workspace. The step may work in a part of it.
func (env Environment) newPolicy(scope runner.ToolScope, root, part string, layers []runner.Layer, protected, guarded []string, held func() bool, served []serverTool) (*permission.Policy, error) {
	if scope.Run != "" {
		protected = append(slices.Clip(protected), scope.Run)
	}
	config := permission.Config{
		Root: root, Part: part, Dir: scope.Workspace, Home: env.home(), Protected: protected, Guarded: guarded,
		Held: held, Tools: scope.Tools, Custom: customNames(scope.Workflow), Named: env.toolNames(),
	}
	config.Records = recordsBeside(scope.Run)
	if scope.Outputs != "" {
		config.Readable = []string{scope.Outputs}
	}
	for _, t := range served {
		config.MCP = append(config.MCP, t.announced())
	}
	for i, layer := range layers {
		domain := domainOf(layer.Workflow.Permissions, layer.Step)
		domain.Name = layer.Workflow.Shown
		switch { // a step with rules of its own, and those of the agent that it takes
		case i+1 < len(layers) && layers[i+1].Workflow == layer.Workflow:
			domain.Name = "the rules of its agent in " + domain.Name
		case i > 0 && layers[i-1].Workflow == layer.Workflow:
			domain.Name = "the rules of the step in " + domain.Name
		}
		config.Domains = append(config.Domains, domain)
	}
	policy, err := permission.New(config)
	if err != nil {
		return nil, configuration("", "permissions: %v", err)
	}
	return policy, nil
}

// entriesAtOnce is how many entries of a folder are read at a time.
const entriesAtOnce = 1000

// recordsBeside returns the folder of a run outside .flow/runs, and those of other runs beside it.
func recordsBeside(run string) []string {
	if run == "" || strings.HasSuffix(filepath.Dir(run), string(filepath.Separator)+RunsFolder) {
		return nil
	}
	all := []string{run}
	parent, err := os.Open(filepath.Dir(run))
	if err != nil {
		return all
	}
	defer parent.Close()
	for {
		entries, err := parent.ReadDir(entriesAtOnce)
		for _, entry := range entries {
			dir := filepath.Join(filepath.Dir(run), entry.Name())
			if _, err := os.Lstat(filepath.Join(dir, journal.File)); err == nil && dir != run {
				all = append(all, dir)
			}
		}
		if err != nil { // also at the end
			return all
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
	all := permission.Reading{ReadOnly: true, OnlyGit: true}
	for _, p := range ps {
		own, err := p.Read(command, dir)
		if err != nil {
			return permission.Reading{}, err
		}
		all = permission.Reading{
			Script: own.Script, ReadOnly: all.ReadOnly && own.ReadOnly,
			OnlyGit: all.OnlyGit && own.OnlyGit, Guesses: all.Guesses || own.Guesses,
		}
	}
	return all, nil
}

func (ps policies) all(holds func(*permission.Policy) bool) bool {
	return len(ps) > 0 && !slices.ContainsFunc(ps, func(p *permission.Policy) bool { return !holds(p) })
}
