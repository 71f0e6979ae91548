package providers

import (
	"fmt"
	"slices"
	"strings"
)

// Wants is what a step requires of its model.
type Wants struct {
	Params Params
	Tools  bool // it is offered tools
	Output bool // its text must match a schema
}

// A Shortfall is something that a step requires and its model or the wire format can't do.
type Shortfall struct {
	Key     string // of the step: params.reasoning, params.seed, output, tools …
	Message string // what can't be done, a sentence about "the model"
	Instead string // what is done instead; empty if the step can't run
}

const (
	sentAnyway = "it is sent anyway; the service may refuse it"
	noEffort   = "none" // turns reasoning off
)

// Shortfalls returns what a model can't do, without asking it. api is the wire format, as
// in workflow files. If nothing is known of the model's reasoning, it says nothing about that; obeys
// is [Info].StructuredOutput.
func Shortfalls(api string, known Known, reasoning, obeys bool, w Wants) (found []Shortfall) {
	add := func(key, message, instead string) { found = append(found, Shortfall{key, message, instead}) }
	p := w.Params
	if message, instead := known.reasoning(api, p); reasoning && message != "" {
		add("params.reasoning", message, instead)
	}
	if most := known.MaxOutput; most > 0 && int64(p.MaxOutputTokens) > most {
		add("params.max_output_tokens", fmt.Sprintf("the model gives at most %d tokens in an answer", most), sentAnyway)
	}
	none := known.Temperature != nil && !*known.Temperature
	thinks := p.Effort() != "" && p.Effort() != noEffort
	if instead := sentAnyway; p.Temperature != nil && (none || api == "anthropic" && thinks) {
		if api == "anthropic" {
			instead = "it is not sent"
		}
		add("params.temperature", "the model does not support a temperature, or not while it reasons", instead)
	}
	if p.Seed != nil && (api == "openai-responses" || api == "anthropic") {
		add("params.seed", "the API of the model has no seed", "it is not sent")
	}
	incapable := known.Tools != nil && !*known.Tools
	if incapable && w.Tools {
		add("tools", "the model can't call tools", "")
	}
	if w.Output && !obeys {
		message, instead := w.output(incapable)
		add("output", message, instead)
	}
	return found
}

// output is what is lacking where the service does not follow a schema: a tool takes the result.
func (w Wants) output(incapable bool) (message, instead string) {
	const byTool = "the result is requested by a tool"
	switch {
	case incapable:
		return "the model supports neither structured output nor tools", ""
	case w.Tools:
		return "the model may not support structured output together with tools", byTool
	}
	return "the model may not support structured output", byTool
}

// reasoning compares the requested reasoning with how the model's can be set.
func (k Known) reasoning(api string, p Params) (message, instead string) {
	effort, r := p.Effort(), k.Reasoning
	switch {
	case effort == "":
		return "", ""
	case r == nil:
		return "the model does not support reasoning", ""
	case !r.Budget && len(r.Efforts) == 0:
		return "the model decides itself how much it reasons", ""
	case p.ReasoningEffort == "" && r.Budget && p.ReasoningBudget < r.Least:
		return fmt.Sprintf("the model needs a budget of at least %d tokens, not %d", r.Least, p.ReasoningBudget), "the minimum is used"
	case p.ReasoningEffort == "" && r.Budget && r.Most > 0 && p.ReasoningBudget > r.Most:
		return fmt.Sprintf("the model takes a budget of at most %d tokens, not %d", r.Most, p.ReasoningBudget), "the maximum is used"
	case p.ReasoningEffort == "" && r.Budget:
		return "", ""
	}
	accepted := r.accepts(api)
	switch {
	case !slices.Contains(accepted, effort):
		return fmt.Sprintf("the model does not support the effort %s; it supports %s", effort, strings.Join(accepted, ", ")), ""
	case p.ReasoningEffort == "":
		return "the model takes an effort, not a budget", "the budget is replaced by the effort " + effort
	case len(r.Efforts) == 0 && effort != noEffort && (api == "anthropic" || api == "google"):
		return "the model takes a budget, not an effort", "the effort is replaced by a budget of tokens"
	}
	return "", ""
}

// accepts returns the efforts that the model takes. One that only has a budget gets the budget for
// an effort, and can be kept from reasoning if that may be 0, or if it only reasons when it is told to.
func (r Reasoning) accepts(api string) []string {
	switch {
	case len(r.Efforts) > 0 || !r.Budget:
		return r.Efforts
	case r.Least == 0 || api == "anthropic":
		return Efforts()
	}
	return Efforts()[1:]
}
