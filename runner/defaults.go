package runner

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// defaultParallel is how many steps, elements included, run at once in a whole
// run where nothing else is said.
const defaultParallel = 64

// withDefaults fills in what the options leave out.
func (o Options) withDefaults() Options {
	if o.MaxParallel <= 0 {
		o.MaxParallel = defaultParallel
	}
	if o.Models == nil {
		o.Models = noModels
	}
	if o.Tools == nil {
		o.Tools = noTools
	}
	if o.Price == nil {
		o.Price = func(string, providers.Usage) (float64, bool) { return 0, false }
	}
	if o.Environment == nil {
		o.Environment = func([]string) []string { return nil }
	}
	if o.LookupEnv == nil {
		o.LookupEnv = func(string) (string, bool) { return "", false }
	}
	return o
}

func noModels(ref string, _ *workflows.Workflow) (providers.Model, error) {
	return nil, &steps.Error{Kind: steps.KindConfiguration, Message: fmt.Sprintf("model %s: there are no models here", ref)}
}

func noTools(ToolScope) (Toolbox, error) {
	return Toolbox{Find: func(string) []tools.Tool { return nil }}, nil
}
