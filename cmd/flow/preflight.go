package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// The codes of diagnostics about the set-up, which are configuration, as those of
// package workflows with the same words are.
const (
	codeModel  = "model"
	codeScript = "script"
)

// codeWorkspace is the code of diagnostics about the folder to work in.
const codeWorkspace = "workspace"

// A preflight looks for what would keep a workflow without mistakes from
// running. It looks at files and names, and not at the environment's keys and
// URLs: whoever checks a file need not have them.
type preflight struct {
	*program
	given
	findings
	top    *workflows.Workflow
	looked map[lentTo]bool // the workflows that were looked at, for a second caller may lend the same model
}

// lentTo is a workflow, and the model that it has of its callers.
type lentTo struct {
	w     *workflows.Workflow
	model *workflows.Value
}

// given is what a command line gives to a workflow.
type given struct {
	values    map[string]any // of the inputs; nil where not all of them are known
	model     string         // goes before those of the file
	workspace string         // goes before the file's
	prices    string         // a file
}

// preflight reports what would keep w from running with what is given. Without
// inputs it looks at what does not hang on them, or takes their defaults where
// all have some.
func (p *program) preflight(w *workflows.Workflow, g given) workflows.Diagnostics {
	f := preflight{program: p, given: g, top: w, looked: map[lentTo]bool{}}
	if g.values == nil && !slices.ContainsFunc(w.Inputs, func(in workflows.Input) bool { return in.Default == nil }) {
		f.values = defaults(w)
	}
	f.checkWorkspace(w)
	f.checkSteps(&nested{Workflow: w, inputs: f.values})
	return f.all
}

// checkSteps looks at the steps of a workflow, and of those that it uses, whose
// inputs are known when they run.
func (f *preflight) checkSteps(w *nested) {
	lent, _ := w.naming(nil)
	key := lentTo{w.Workflow, lent}
	if f.looked[key] {
		return
	}
	f.looked[key] = true
	for _, step := range leaves(w.Steps) {
		switch {
		case step.Agent != nil:
			f.checkInstructions(w.Workflow, step, f.known(w))
			f.checkModels(w, step)
		case step.Use != nil:
			f.checkSteps(&nested{Workflow: step.Use.Workflow, caller: w})
		}
	}
}

// known are the names that expressions of a workflow see; nil where its inputs are
// not known.
func (f *preflight) known(w *nested) workflows.Env {
	if w.inputs == nil {
		return nil
	}
	return f.names(w.Workflow, w.inputs)
}

func (f *preflight) errorf(at workflows.Position, code, hint, format string, args ...any) {
	f.add(at, workflows.SeverityError, code, fmt.Sprintf(format, args...), hint)
}

// checkWorkspace looks for the folder to work in.
func (f *preflight) checkWorkspace(w *workflows.Workflow) {
	if w.Workspace == nil || f.workspace != "" {
		return
	}
	path, known := w.Workspace.Static()
	if !known && f.values != nil {
		text, err := w.Workspace.Text(f.names(w, f.values))
		path, known = text, err == nil
	}
	start, err := startFolder()
	if !known || err != nil {
		return
	}
	folder := absolute(start, path)
	const hint = "it starts where flow is started; --workspace names another"
	switch info, err := os.Stat(folder); {
	case err != nil:
		f.errorf(w.Workspace.Position(), codeWorkspace, hint, "the workspace %s: %v", folder, plainError(err))
	case !info.IsDir():
		f.errorf(w.Workspace.Position(), codeWorkspace, hint, "the workspace %s is no folder", folder)
	}
}

// checkInstructions looks for the files that are added to the system prompt.
func (f *preflight) checkInstructions(w *workflows.Workflow, step *workflows.Step, names workflows.Env) {
	for _, file := range step.Agent.Instructions {
		path, known := file.Static()
		if !known && names != nil {
			text, err := file.Text(names)
			path, known = text, err == nil
		}
		if !known {
			continue
		}
		if err := checkRegular(absolute(w.Dir, filepath.FromSlash(path))); err != nil {
			f.errorf(file.Position(), codeFile, "paths of instructions start at the workflow's folder", "the instructions %s: %v", path, err)
		}
	}
}

// checkModels looks at the models that a step of a workflow asks.
func (f *preflight) checkModels(w *nested, step *workflows.Step) {
	if f.model != "" {
		return
	}
	named, by := w.naming(step.Agent.Model)
	if named == nil {
		f.errorf(step.Pos, codeModel, "name one with model: here or at the top of the file, or with --model", "step %q has no model", step.Path)
		return
	}
	value, known := named.Static()
	if !known {
		names := f.known(by)
		if names == nil {
			return
		}
		var err error
		if value, err = named.Eval(names); err != nil {
			return // it hangs on what has not run yet
		}
	}
	for _, ref := range references(by.Workflow, value) {
		f.checkModel(w, step, ref)
	}
}

// references are the models that a value names, with short names replaced by what
// they stand for; none where it is no text.
func references(w *workflows.Workflow, value any) []string {
	switch value := value.(type) {
	case string:
		if refs, ok := w.Models[value]; ok {
			return refs
		}
		return []string{value}
	case []any:
		var refs []string
		for _, v := range value {
			refs = append(refs, references(w, v)...)
		}
		return refs
	}
	return nil
}

// checkModel looks at one reference.
func (f *preflight) checkModel(w *nested, step *workflows.Step, ref string) {
	named, by := w.naming(step.Agent.Model)
	at := named.Position()
	provider, name, slash := strings.Cut(ref, "/")
	switch {
	case !slash || provider == "" || name == "":
		f.errorf(at, codeModel, "such as openai/gpt-5-mini or script/demo.script.yaml", "the model %q: a model is named by its provider, a slash and its name", ref)
		return
	case provider == scriptProvider:
		f.checkScript(w, step, name)
		return
	case !slices.Contains(providerNames(by.Workflow), provider):
		f.errorf(at, codeModel, hintOnProvider(provider, by.Workflow), "the provider %q is not known", provider)
		return
	}
	if w.Budget.CostUSD > 0 && !f.priced(w.Workflow, ref) {
		f.errorf(at, codeModel, fmt.Sprintf("add it: prices: {%s: {input: …, output: …}}, in USD for a million tokens", ref),
			"the price of %s is not known, and the run's cost is limited", ref)
	}
}

// priced reports whether the price of a model is known. A file of prices that is
// wrong is told by whoever reads it.
func (f *preflight) priced(w *workflows.Workflow, ref string) bool {
	if _, own := w.Prices[ref]; own {
		return true
	}
	price, err := f.pricing(f.prices, f.top)
	if err != nil {
		return true
	}
	_, known := price(ref, providers.Usage{})
	return known
}

// checkScript looks for the script of a scripted model, and for the step's turns
// in it.
func (f *preflight) checkScript(w *nested, step *workflows.Step, name string) {
	named, by := w.naming(step.Agent.Model)
	at := named.Position()
	played, err := readScript(absolute(by.Dir, filepath.FromSlash(name)))
	switch {
	case err != nil:
		f.errorf(at, codeScript, "paths of scripts start at the workflow's folder", "%v", err)
	case len(played.Steps) == 0:
		f.errorf(at, codeScript, `such as steps: {"*": [{text: Hello.}]}`, "the script %s has no turns", name)
	case w.caller == nil && !hasTurns(slices.Collect(maps.Keys(played.Steps)), step.Path):
		f.add(step.Pos, workflows.SeverityWarning, codeScript,
			fmt.Sprintf("the script %s has no turns for step %q, which fails when it is asked", name, step.Path), "")
	}
}

// hasTurns reports whether a script that has turns for these steps has some for the
// given one, or for one of its elements, rounds or attempts.
func hasTurns(steps []string, path string) bool {
	last := path[strings.LastIndexByte(path, '/')+1:]
	return slices.ContainsFunc(steps, func(name string) bool {
		own, _, _ := strings.Cut(name, "@")
		return own == path || own == last || own == "*" || strings.HasPrefix(own, path+"/") || strings.HasPrefix(own, last+"/")
	})
}
