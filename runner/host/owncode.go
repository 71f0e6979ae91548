package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/toolname"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

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

// check returns an error for the tools and models of the environment that no workflow could name
// or use.
func (env Environment) check() error {
	var all []string
	for _, d := range env.checkOwn("") {
		all = append(all, d.Message)
	}
	if all == nil {
		return nil
	}
	return configuration("", "%s", strings.Join(all, "; "))
}

// checkOwn is check for those who load a file, and get all mistakes as diagnostics of it.
func (env Environment) checkOwn(file string) (found workflows.Diagnostics) {
	wrong := func(code, format string, args ...any) {
		found = append(found, diagnostic.OfFile(file, code, fmt.Sprintf(format, args...)))
	}
	names := map[string]bool{}
	for i, t := range env.Tools {
		if t == nil {
			wrong(diagnostic.CodeTool, "the tool %d of the environment is nil", i)
			continue
		}
		switch name := t.Spec().Name; {
		case !toolname.Valid(name):
			wrong(diagnostic.CodeTool, "the tool %d of the environment has the name %q: expected at most %d letters, digits, _ and -", i, name, toolname.Longest)
		case toolname.RuledBy(name) != "":
			wrong(diagnostic.CodeTool, "a tool of the environment has the name %q, which is reserved for a tool with the rules of %q", name, toolname.RuledBy(name))
		case names[name]:
			wrong(diagnostic.CodeTool, "two tools of the environment have the name %q", name)
		default:
			names[name] = true
			if _, err := tools.NewSet([]tools.Entry{{Tool: t}}, tools.SetOptions{}); err != nil {
				wrong(diagnostic.CodeTool, "of the environment: %v", err)
			}
		}
	}
	for i, m := range env.Models {
		if m == nil {
			wrong(diagnostic.CodeModel, "the model %d of the environment is nil", i)
			continue
		}
		switch ref := m.Info().Ref; {
		case !isReference(ref):
			wrong(diagnostic.CodeModel, "the model %d of the environment has the reference %q: provider/model is expected", i, ref)
		case providerOf(ref) == scriptProvider:
			wrong(diagnostic.CodeModel, "the model %q of the environment: script/ is for files", ref)
		case names[ref]:
			wrong(diagnostic.CodeModel, "two models of the environment have the reference %q", ref)
		default:
			names[ref] = true
		}
	}
	return found
}

func isReference(ref string) bool {
	_, _, err := splitReference(ref)
	return err == nil
}
