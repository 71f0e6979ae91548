package host

import (
	"cmp"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/workflows"
)

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
