package runner

import (
	"context"
	"fmt"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/cache"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// checkModels finds the models of all steps, as far as their references are known before
// anything runs, so that a wrong one is not found after an hour.
func (in *instance) checkModels(ctx context.Context, list []*workflows.Step) error {
	for _, step := range list {
		within := in
		if step.Use != nil {
			within = in.used(step.Use.Workflow)
		}
		if step.Agent != nil {
			if err := in.checkModelsOf(ctx, step.Agent); err != nil {
				return fmt.Errorf("step %q: %w", step.Path, err)
			}
		}
		if err := within.checkModels(ctx, step.Inside()); err != nil {
			return err
		}
	}
	return nil
}

func (in *instance) checkModelsOf(ctx context.Context, a *workflows.Agent) error {
	n, err := in.named(ctx, a)
	if err != nil || n.Refs == nil && n.At != nil {
		return err
	}
	for _, ref := range n.Refs {
		if _, err := in.modelOf(ref, n.By); err != nil {
			return err
		}
	}
	if len(n.Refs) == 0 {
		return noModel()
	}
	return nil
}

// used returns the instance of a used workflow without its inputs, which are not known yet.
func (in *instance) used(w *workflows.Workflow) *instance {
	return &instance{Workflow: w, exec: in.exec, caller: in, at: in.exec.namedEnv(w)}
}

// A Naming names the models that a step asks.
type Naming struct {
	Refs []string            // references, the first one first; nil if they are not known before the step runs
	By   *workflows.Workflow // the workflow that names them
	At   *workflows.Value    // the value that names them; nil: the options do, or nothing does if there are no Refs
}

// named returns the models that an agent asks, as far as they are known before anything runs.
func (in *instance) named(ctx context.Context, a *workflows.Agent) (Naming, error) {
	at, by := in.naming(a.Model)
	unknown := Naming{By: by.Workflow, At: at}
	if in.exec.Model == "" && at != nil && by.inputs == nil && at.Mentions("inputs") {
		return unknown, nil
	}
	n, err := in.modelsFor(ctx, a, in.names(ctx))
	if err != nil && steps.KindOf(err) != steps.KindConfiguration { // it depends on a step
		return unknown, nil
	}
	return n, err
}

// modelsFor returns the models that an agent asks: those of the options, else of the step, else
// of the nearest workflow around it. Short names are replaced.
func (in *instance) modelsFor(ctx context.Context, a *workflows.Agent, names workflows.Env) (n Naming, err error) {
	if in.exec.Model != "" {
		n.By = in.Workflow
		n.Refs, err = in.expand(in.exec.Model)
		return n, err
	}
	at, by := in.naming(a.Model)
	n.By, n.At = by.Workflow, at
	if at == nil {
		return n, nil
	}
	if by != in {
		names = by.names(ctx)
	}
	value, err := at.Eval(names)
	if err != nil {
		return n, err
	}
	n.Refs, err = by.expand(value)
	return n, err
}

// around returns the workflow of that file: this one, or the nearest one around it.
func (in *instance) around(file string) *workflows.Workflow {
	for in.File != file && in.caller != nil {
		in = in.caller
	}
	return in.Workflow
}

// naming returns the value that names a step's model, and the workflow in which it is: that
// of the step itself, or the nearest one around it.
func (in *instance) naming(own *workflows.Value) (*workflows.Value, *instance) {
	for own == nil && in.caller != nil {
		in = in.caller
		own = in.Model
	}
	return own, in
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

func noModel() error {
	return &steps.Error{
		Kind: steps.KindConfiguration, Message: "no model is given",
		Hint: "name one with model: in the workflow", Option: OptionModel,
	}
}

// modelOf returns the model of a reference that a workflow names.
func (in *instance) modelOf(ref string, by *workflows.Workflow) (providers.Model, error) {
	model, err := in.exec.Options.Models(ref, by)
	if err == nil && model == nil {
		err = &steps.Error{Kind: steps.KindConfiguration, Message: fmt.Sprintf("model %s does not exist", ref)}
	}
	if err == nil {
		err = in.checkPrice(model.Info().Ref)
	}
	return model, err
}

// model returns a model that asks those of the references, one after the other. It is for one
// conversation, since it remembers which of them answered. Answers are kept by work, unless
// that is nil.
func (in *instance) model(refs []string, by *workflows.Workflow, work *cache.Conversation) (providers.Model, error) {
	if len(refs) == 0 {
		return nil, noModel()
	}
	var models []providers.Model
	for _, ref := range refs {
		model, err := in.modelOf(ref, by)
		if err == nil {
			model, err = in.exec.keeping(model, work)
		}
		if err != nil {
			return nil, err
		}
		models = append(models, guardedModel{model, refusedModel{by.File, ref}, &in.exec.refused})
	}
	model := providers.Fallback(models)
	if record := in.exec.Record; record != nil {
		model = record(model)
	}
	return model, nil
}

// checkPrice returns an error if costs are bounded and the price of a model is not known.
func (in *instance) checkPrice(ref string) error {
	if !in.limitsCost() {
		return nil
	}
	if _, known := in.price(ref, providers.Usage{}); known {
		return nil
	}
	to := "the workflow"
	if _, stated := in.Prices[ref]; stated {
		to = "a workflow of yours, for a recipe's own word is not enough"
	}
	return &steps.Error{
		Kind:    steps.KindConfiguration,
		Message: fmt.Sprintf("the price of %s is unknown, but the run has a cost limit", ref),
		Hint:    fmt.Sprintf("add it to %s: prices: {%s: {input: …, output: …}}, in USD for a million tokens", to, ref),
	}
}
