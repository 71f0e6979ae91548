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

// Policies are what a step is ruled by: one for each workspace of the workflows
// around it, since the rules of each begin at its own. All of them have to
// agree: a used workflow can narrow what its caller may, never widen it.
type policies []*permission.Policy

// homeOf is the workspace of a step's workflow, where its rules start; that of the
// step lies in it.
func homeOf(scope runner.ToolScope) string {
	if len(scope.Layers) == 0 {
		return scope.Workspace
	}
	return cmp.Or(scope.Layers[len(scope.Layers)-1].Workspace, scope.Workspace)
}

// newPolicies puts the rules of a step's layers together. Each workflow is a
// domain of its own; the files that the run is made of are never written.
// Tools of servers are those that have announced them. Held reports whether commands
// run held; nil: they don't.
func (env Environment) newPolicies(scope runner.ToolScope, protected []string, held func() bool, served ...serverTool) (policies, error) {
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
		policy, err := env.newPolicy(scope, home(layers[0]), part, layers[:n], protected, held, served)
		if err != nil {
			return nil, err
		}
		all = append(all, policy)
		layers = layers[n:]
	}
	return all, nil
}

// newPolicy makes the policy of layers that share a workspace, of which the step may
// work in a part.
func (env Environment) newPolicy(scope runner.ToolScope, root, part string, layers []runner.Layer, protected []string, held func() bool, served []serverTool) (*permission.Policy, error) {
	if scope.Run != "" {
		protected = append(slices.Clip(protected), scope.Run)
	}
	config := permission.Config{
		Root: root, Part: part, Dir: scope.Workspace, Home: env.home(), Protected: protected,
		Held: held, Tools: scope.Tools, Custom: customNames(scope.Workflow), Named: env.toolNames(),
	}
	config.Records = recordsBeside(scope.Run)
	if scope.Outputs != "" {
		config.Readable = []string{scope.Outputs}
	}
	for _, t := range served {
		config.MCP = append(config.MCP, t.announced())
	}
	for _, layer := range layers {
		rules, err := rulesOf(layer.Workflow.Permissions)
		if err != nil {
			return nil, err
		}
		own, err := rulesOf(layer.Step)
		if err != nil {
			return nil, err
		}
		config.Domains = append(config.Domains, permission.Domain{
			Name: layer.Workflow.File, Layers: []permission.Rules{rules, own},
		})
	}
	policy, err := permission.New(config)
	if err != nil {
		return nil, configuration("", "permissions: %v", err)
	}
	return policy, nil
}

// mostBeside bounds the folders beside that of a run that are looked at.
const mostBeside = 4096

// recordsBeside are the folder of a run and those of others beside it, where they are
// not in .flow/runs.
func recordsBeside(run string) []string {
	if run == "" || strings.HasSuffix(filepath.Dir(run), RunsFolder) {
		return nil
	}
	all := []string{run}
	parent, err := os.Open(filepath.Dir(run))
	if err != nil {
		return all
	}
	defer parent.Close()
	entries, _ := parent.ReadDir(mostBeside)
	for _, entry := range entries {
		dir := filepath.Join(filepath.Dir(run), entry.Name())
		if _, err := os.Lstat(filepath.Join(dir, journal.File)); err == nil && dir != run {
			all = append(all, dir)
		}
	}
	return all
}

// decide is the strictest decision of all, about a call or all that it may stand
// for. Without a policy it is a denial.
func (ps policies) decide(calls ...permission.Call) permission.Decision {
	var strictest permission.Decision
	first := true
	for _, p := range ps {
		for _, call := range calls {
			if d := p.Decide(call); first || d.Verdict < strictest.Verdict {
				strictest, first = d, false
			}
		}
	}
	return strictest
}

// readable reports whether a search may show the path.
func (ps policies) readable(path string) bool {
	return ps.all(func(p *permission.Policy) bool { return p.Readable(path) })
}

// guesses reports whether a command may write files that its words don't name.
func (ps policies) guesses(command, dir string) bool {
	return !ps.all(func(p *permission.Policy) bool { return !p.Guesses(command, dir) })
}

// readOnly reports whether a command only reads.
func (ps policies) readOnly(command, dir string) bool {
	return ps.all(func(p *permission.Policy) bool { return p.ReadOnly(command, dir) })
}

// script is what runs in place of a command: what was judged.
func (ps policies) script(command, dir string) (text string, err error) {
	err = errors.New("no rules allow any command")
	for _, p := range ps {
		if text, err = p.Script(command, dir); err != nil {
			return "", err
		}
	}
	return text, err
}

func (ps policies) all(holds func(*permission.Policy) bool) bool {
	return len(ps) > 0 && !slices.ContainsFunc(ps, func(p *permission.Policy) bool { return !holds(p) })
}
