package runner

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// checkModels finds the models of all steps, as far as their references can be
// known before anything runs, so that a wrong one is not found after an hour.
func (in *instance) checkModels() error { return in.checkStepModels(in.Steps) }

func (in *instance) checkStepModels(list []*workflows.Step) error {
	for _, step := range list {
		var err error
		switch {
		case step.Group != nil:
			err = in.checkStepModels(step.Group.Steps)
		case step.Use != nil:
			err = in.used(step.Use.Workflow).checkModels()
		case step.Agent != nil:
			err = in.checkModel(step)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// used is as much of the instance of a used workflow as is known before its
// inputs are.
func (in *instance) used(w *workflows.Workflow) *instance {
	return &instance{Workflow: w, run: in.run, env: in.run.variables(w), budget: newBudget(0, w.Budget.CostUSD, in.price, in.budget)}
}

func (in *instance) checkModel(step *workflows.Step) error {
	named := step.Agent.Model
	if named != nil && in.inputs == nil {
		if _, static := named.Static(); !static {
			return nil
		}
	}
	refs, err := in.refs(named, in.names())
	if err != nil {
		return nil // it hangs on what is not known yet
	}
	if _, err := in.model(refs); err != nil {
		return fmt.Errorf("step %q: %w", step.Path, err)
	}
	return nil
}

// refs are the references of the models that a step asks, the first one first:
// those of the command line, else of the step. Short names are replaced by what
// they stand for.
func (in *instance) refs(named *workflows.Value, names workflows.Env) ([]string, error) {
	if in.run.Model != "" {
		return in.expand(in.run.Model)
	}
	if named == nil {
		return nil, nil
	}
	value, err := named.Eval(names)
	if err != nil {
		return nil, err
	}
	return in.expand(value)
}

func (in *instance) expand(value any) ([]string, error) {
	switch value := value.(type) {
	case nil:
		return nil, nil
	case string:
		if refs, ok := in.Models[value]; ok {
			return refs, nil
		}
		return []string{value}, nil
	case []string:
		return value, nil
	case []any:
		var refs []string
		for _, v := range value {
			more, err := in.expand(v)
			if err != nil {
				return nil, err
			}
			refs = append(refs, more...)
		}
		return refs, nil
	}
	return nil, &steps.Error{Kind: steps.KindConfiguration, Message: fmt.Sprintf("model: a reference is text such as openai/gpt-5-mini, not %v", value)}
}

// model returns what asks the models one after the other. It is for one
// conversation: it remembers which of them answered.
func (in *instance) model(refs []string) (providers.Model, error) {
	if len(refs) == 0 {
		return nil, &steps.Error{
			Kind: steps.KindConfiguration, Message: "no model is named",
			Hint: "name one with model: in the workflow, or with --model",
		}
	}
	var models []providers.Model
	for _, ref := range refs {
		model, err := in.run.Options.Models(ref, in.Workflow)
		if err != nil {
			return nil, err
		}
		if err := in.checkPrice(model.Info().Ref); err != nil {
			return nil, err
		}
		models = append(models, model)
	}
	model := providers.Fallback(models)
	if record := in.run.Record; record != nil {
		model = record(model)
	}
	return model, nil
}

// checkPrice refuses a model whose price is not known where costs are limited.
func (in *instance) checkPrice(ref string) error {
	if !in.budget.limitsCost() {
		return nil
	}
	if _, known := in.price(ref, providers.Usage{}); known {
		return nil
	}
	return &steps.Error{
		Kind:    steps.KindConfiguration,
		Message: fmt.Sprintf("the price of %s is not known, and the run's cost is limited", ref),
		Hint:    fmt.Sprintf("add it to the workflow: prices: {%s: {input: …, output: …}}, in USD for a million tokens", ref),
	}
}
