package host

import (
	"cmp"
	"context"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Doctor is [Environment.Doctor] with the needs of the workflow: keys of the models that its steps
// ask, variables, and the programs of its servers. A model, which may be "", replaces those of the
// file.
func (l *Loaded) Doctor(ctx context.Context, model string) Health {
	h := l.env.newHealth(ctx, true, slices.ContainsFunc(l.all, runsCommands))
	h.Parts = append(h.Parts, l.keys(model)...)
	seen := map[string]bool{}
	for _, w := range l.all {
		for _, name := range l.env.expand(w.NamedVariables()) {
			if seen[name] {
				continue
			}
			seen[name] = true
			part := Part{Area: "variable", Name: name, State: PartOK, Detail: "is set"}
			if _, set := l.env.lookup(name); !set {
				part.State, part.Detail = PartMissing, "is not set"
			}
			h.Parts = append(h.Parts, part)
		}
	}
	for _, w := range l.all {
		h.Parts = append(h.Parts, l.serversOf(w)...)
	}
	return h
}

// keys checks the keys of the providers that steps ask, as far as they are known.
func (l *Loaded) keys(model string) []Part {
	models := NewModels(l.env)
	o := l.runnerOptions(Options{Model: model, Models: models})
	o.Inputs = defaults(l.Workflow)
	top, err := runner.Link(o)
	if err != nil {
		return nil // it hangs on inputs
	}
	var parts []Part
	eachAgent(top, func(at *runner.Linked, step *workflows.Step) {
		named, err := at.Names(step.Agent)
		if err != nil {
			return
		}
		for _, ref := range named.Refs {
			part := models.key(ref, named.By)
			if part.Name != scriptProvider && !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	})
	return parts
}

// key checks the key of a model's provider.
func (m *Models) key(ref string, w *workflows.Workflow) Part {
	provider := providerOf(ref)
	part := Part{Area: "key", Name: provider, State: PartOK, Detail: "none needed", Needed: true}
	if own, _ := m.env.model(ref); own != nil || provider == scriptProvider {
		return part
	}
	e, err := m.endpoint(provider, w)
	switch {
	case err != nil:
		part.State, part.Detail = PartMissing, err.Error()
	case e.APIKey != "":
		part.Detail = e.keyVar + " is set"
	case e.signIn != "":
		part.Detail = "credentials are asked for"
	}
	return part
}

// serversOf finds the programs of a workflow's MCP servers. A server is needed if a step names its
// tools, or if it is required.
func (l *Loaded) serversOf(w *workflows.Workflow) []Part {
	var named []string
	for _, step := range workflows.Leaves(w.Steps) {
		named = append(named, serversNamed(w, step.ToolNames())...)
	}
	start, err := StartFolder()
	if err == nil {
		start, err = l.env.workspaceOf(w, defaults(w), start)
	}
	var parts []Part
	for _, name := range slices.Sorted(maps.Keys(w.MCP)) {
		server := w.MCP[name]
		part := Part{Area: "server", Name: name, State: PartOK, Needed: server.Required || slices.Contains(named, name)}
		switch {
		case server.URL != nil:
			part.Detail = "is reached by its url, which is not tried"
		default:
			word, known := server.Command[0].Static()
			if !known || err != nil && strings.Contains(word, "/") {
				part.Detail = "its command is known when it runs"
				break
			}
			if strings.Contains(word, "/") {
				word = paths.In(start, filepath.FromSlash(word))
			}
			found, missing := exec.LookPath(word)
			part.Detail = cmp.Or(found, word)
			if missing != nil {
				part.State, part.Detail = PartMissing, missing.Error()
			}
		}
		parts = append(parts, part)
	}
	return parts
}
