package host

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// checkAbilities reports what a step asks a model for that the model can't do. That is an error, or a
// warning if there is a substitute. A model whose name depends on steps that have not run is not
// checked. Warnings are given when the file is checked, and not with every run.
func (f *preflight) checkAbilities(ref string, step *workflows.Step, named runner.Naming) {
	e, at := f.facts(ref, step, named)
	if e.api == "" {
		return
	}
	position, code := f.positionOfModel(named), diagnostic.CodeAbility
	if named.At == nil { // the command line names it: the file has no mistake
		position, code = step.Pos, diagnostic.CodeModel
	}
	for _, s := range at.Shortfalls {
		at := position
		if s.Key == "output" {
			at = step.Pos
			if _, own := named.By.Providers[providerOf(ref)]; own && s.Instead != "" {
				s.Instead += "; if the service supports it, set structured_output: true under providers"
			}
		}
		severity, hint := workflows.SeverityWarning, s.Instead
		if s.Instead == "" {
			severity, hint = workflows.SeverityError, fmt.Sprintf("remove %s, or use another model", s.Key)
		}
		if f.checking || severity == workflows.SeverityError {
			f.add(at, severity, code, fmt.Sprintf("%s: %s", s.Key, strings.Replace(s.Message, "the model", fmt.Sprintf("the model %q", ref), 1)), hint)
		}
	}
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

// knowledge is what is known of a model.
type knowledge struct {
	providers.Known
	reasoning bool // it is known whether and how the model reasons
}

// known returns what is known of a model at an endpoint: what the workflow says, or else flow's table,
// which has it by its reference, or as its vendor's at that address.
func (e endpoint) known(ref, name string) knowledge {
	known, found := providers.Lookup(ref)
	if vendor := providers.VendorAt(e.BaseURL); !found && vendor != "" {
		known, found = providers.Lookup(vendor + "/" + name)
	}
	k := knowledge{known, found}
	k.Context = cmp.Or(int64(e.limits.Context), k.Context)
	if own, described := e.limits.Models[name]; described {
		k.correct(own)
	}
	return k
}

// correct puts what a workflow says in the place of what the table has. The prices are among those
// of the workflow.
func (k *knowledge) correct(own workflows.Model) {
	k.Context, k.MaxOutput = cmp.Or(own.Context, k.Context), cmp.Or(own.Output, k.MaxOutput)
	k.Tools, k.StructuredOutput, k.Temperature = cmp.Or(own.Tools, k.Tools), cmp.Or(own.Structured, k.StructuredOutput), cmp.Or(own.Temperature, k.Temperature)
	if own.Modalities != nil {
		k.Modalities = own.Modalities
	}
	if r := own.Reasoning; r != nil {
		k.reasoning, k.Reasoning = true, &providers.Reasoning{Efforts: r.Efforts, Budget: r.Budget, Least: r.Least, Most: r.Most}
		if r.None {
			k.Reasoning = nil
		}
	}
}
