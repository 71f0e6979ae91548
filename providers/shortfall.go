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

// Shortfalls returns what a model can't do, without asking it. api is the wire format, as
// in workflow files. If nothing is known of the model's reasoning, it says nothing about that; obeys
// is [Info].StructuredOutput.
func Shortfalls(api string, known Known, reasoning, obeys bool, w Wants) []Shortfall {
	a := assessment{Wants: w, api: api, known: known}
	if reasoning {
		a.reasoning()
	}
	a.length()
	a.temperature()
	a.seed()
	a.tools(obeys)
	return a.found
}

type assessment struct {
	Wants
	api   string
	known Known
	found []Shortfall
}

func (a *assessment) instead(key, message, instead string) {
	a.found = append(a.found, Shortfall{key, message, instead})
}

func (a *assessment) refuse(key, message string) { a.instead(key, message, "") }

const keyReasoning = "params.reasoning"

// reasoning compares the requested reasoning with how the model's can be set.
func (a *assessment) reasoning() {
	effort, r := a.Params.Effort(), a.known.Reasoning
	switch {
	case effort == "":
	case r == nil:
		a.refuse(keyReasoning, "the model does not support reasoning")
	case !r.Budget && len(r.Efforts) == 0:
		a.refuse(keyReasoning, "the model decides itself how much it reasons")
	case a.Params.ReasoningEffort == "" && r.Budget:
		a.budget(*r)
	case !slices.Contains(a.accepts(), effort):
		a.refuse(keyReasoning, fmt.Sprintf("the model does not support the effort %s; it supports %s", effort, strings.Join(a.accepts(), ", ")))
	case a.Params.ReasoningEffort == "":
		a.instead(keyReasoning, "the model takes an effort, not a budget", "the budget is replaced by the effort "+effort)
	case len(r.Efforts) == 0 && effort != noEffort && (a.api == "anthropic" || a.api == "google"):
		a.instead(keyReasoning, "the model takes a budget, not an effort", "the effort is replaced by a budget of tokens")
	}
}

// noEffort turns reasoning off.
const noEffort = "none"

// accepts returns the efforts that the model takes. One that only has a budget gets the budget for
// an effort, and can be kept from reasoning if that may be 0, or if it only reasons when it is told to.
func (a *assessment) accepts() []string {
	r := a.known.Reasoning
	switch {
	case len(r.Efforts) > 0 || !r.Budget:
		return r.Efforts
	case r.Least == 0 || a.api == "anthropic":
		return Efforts()
	}
	return Efforts()[1:]
}

func (a *assessment) budget(r Reasoning) {
	switch budget := a.Params.ReasoningBudget; {
	case budget < r.Least:
		a.instead(keyReasoning, fmt.Sprintf("the model needs a budget of at least %d tokens, not %d", r.Least, budget), "the minimum is used")
	case r.Most > 0 && budget > r.Most:
		a.instead(keyReasoning, fmt.Sprintf("the model takes a budget of at most %d tokens, not %d", r.Most, budget), "the maximum is used")
	}
}

// tools checks tools, and the tool that takes a result where the service does not follow a
// schema.
func (a *assessment) tools(obeys bool) {
	incapable := a.known.Tools != nil && !*a.known.Tools
	if incapable && a.Tools {
		a.refuse("tools", "the model can't call tools")
	}
	switch {
	case !a.Output || obeys:
	case incapable:
		a.refuse("output", "the model supports neither structured output nor tools")
	case a.Tools:
		a.instead("output", "the model may not support structured output together with tools", "the result is requested by a tool")
	default:
		a.instead("output", "the model may not support structured output", "the result is requested by a tool")
	}
}

func (a *assessment) length() {
	if most := a.known.MaxOutput; most > 0 && int64(a.Params.MaxOutputTokens) > most {
		a.instead("params.max_output_tokens", fmt.Sprintf("the model gives at most %d tokens in an answer", most), "the number is sent anyway; the service may refuse it")
	}
}

func (a *assessment) temperature() {
	accepts := a.known.Temperature
	switch {
	case a.Params.Temperature == nil:
	case a.api == "anthropic" && (accepts != nil && !*accepts || a.Params.Effort() != "" && a.Params.Effort() != noEffort):
		a.instead("params.temperature", "the model does not support a temperature, or not while it reasons", "it is not sent")
	case accepts != nil && !*accepts:
		a.instead("params.temperature", "the model does not support a temperature, or not while it reasons", "it is sent anyway; the service may refuse it")
	}
}

func (a *assessment) seed() {
	if a.Params.Seed != nil && (a.api == "openai-responses" || a.api == "anthropic") {
		a.instead("params.seed", "the API of the model has no seed", "it is not sent")
	}
}
