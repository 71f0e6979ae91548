package host

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/files"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/web"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Tools that are no file tools.
const (
	toolBash     = "bash"
	toolWebfetch = "webfetch"
)

// BuiltInTools are the specifications of the tools that every workflow can name.
func BuiltInTools() []tools.Spec {
	var specs []tools.Spec
	for _, t := range new(files.Workspace).Tools() {
		specs = append(specs, t.Spec())
	}
	return append(specs, shell.Bash(shell.BashOptions{}).Spec(), web.Fetch(web.Options{}).Spec())
}

// ToolInfos are the tools that the workflow can name without bringing them, as package workflows
// checks files against them: the built-in ones, and those of the environment.
func (l *Loaded) ToolInfos() []workflows.ToolInfo { return l.env.toolInfos() }

func (env Environment) toolInfos() []workflows.ToolInfo {
	var infos []workflows.ToolInfo
	for _, spec := range append(BuiltInTools(), env.toolSpecs()...) {
		infos = append(infos, workflows.ToolInfo{Name: spec.Name, Parameters: spec.Parameters})
	}
	return infos
}

// The tools and models in Go that a program gives its workflows.

// toolSpecs returns the specifications of the environment's own tools.
func (env Environment) toolSpecs() (specs []tools.Spec) {
	for _, t := range env.Tools {
		specs = append(specs, t.Spec())
	}
	return specs
}

// toolNames returns the names of the environment's own tools.
func (env Environment) toolNames() (names []string) {
	for _, spec := range env.toolSpecs() {
		names = append(names, spec.Name)
	}
	return names
}

// model returns the environment's own model of a reference; nil if the reference means none of
// them. It returns an error if it names their provider, and none of its models.
func (env Environment) model(ref string) (providers.Model, error) {
	provider := providerOf(ref)
	var beside []string
	for _, m := range env.Models {
		is := m.Info().Ref
		if is == ref {
			return m, nil
		}
		if providerOf(is) == provider {
			beside = append(beside, is)
		}
	}
	if beside == nil || slices.Contains(serviceNames(), provider) {
		return nil, nil
	}
	return nil, configuration(nearest.Hint(ref, beside, "there are "+strings.Join(beside, ", ")), "the model %q is unknown", ref)
}

// modelProviders returns the providers of the environment's own models.
func (env Environment) modelProviders() (names []string) {
	for _, m := range env.Models {
		if name := providerOf(m.Info().Ref); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// check reports the tools and models of the environment that no workflow could name or use.
func (env Environment) check() error {
	var entries []tools.Entry
	var errs []error
	for _, t := range env.Tools {
		entries = append(entries, tools.Entry{Tool: t})
		if t != nil && known.RuledBy(t.Spec().Name) != "" {
			errs = append(errs, fmt.Errorf("tool %q: the name is reserved", t.Spec().Name))
		}
	}
	if _, err := tools.NewSet(entries, tools.SetOptions{}); err != nil {
		errs = append(errs, err)
	}
	known := map[string]bool{}
	for _, m := range env.Models {
		if m == nil {
			errs = append(errs, errors.New("a model is nil"))
			continue
		}
		ref := m.Info().Ref
		switch provider, _, err := splitReference(ref); {
		case err != nil:
			errs = append(errs, err)
		case provider == scriptProvider:
			errs = append(errs, fmt.Errorf("the model %q: script/ is for files", ref))
		case known[ref]:
			errs = append(errs, fmt.Errorf("there are two models %q", ref))
		}
		known[ref] = true
	}
	if err := errors.Join(errs...); err != nil {
		return configuration("", "the environment of the program: %v", err)
	}
	return nil
}
