package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
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
	top *workflows.Workflow
}

// given is what a command line gives to a workflow.
type given struct {
	values    map[string]any // of the inputs; nil where not all of them are known
	model     string         // goes before those of the file
	budget    *float64       // in USD, goes before the file's
	workspace string         // goes before the file's
	prices    string         // a file
	checking  bool           // nothing runs now: a model may still be given, and one that is gets looked at
}

// preflight reports what would keep w from running with what is given. Without
// inputs it looks at what does not hang on them.
func (p *program) preflight(w *workflows.Workflow, g given) workflows.Diagnostics {
	f := preflight{program: p, given: g.completed(w), top: w}
	f.checkAgents(f.checkWorkspace(w))
	return f.all
}

// completed has the defaults of all inputs where none are given and each has one.
func (g given) completed(w *workflows.Workflow) given {
	if g.values == nil && !slices.ContainsFunc(w.Inputs, func(in workflows.Input) bool { return in.Default == nil }) {
		g.values = defaults(w)
	}
	return g
}

// checkAgents looks at the agents of the workflow and of those that it uses, whose
// inputs are known when they run.
func (f *preflight) checkAgents(folder string) {
	top, err := f.link(f.top, f.given, folder)
	if err != nil {
		return // whoever runs it tells that
	}
	abilities := f.abilityChecker(f.top)
	eachAgent(top, func(at *runner.Linked, step *workflows.Step) {
		f.checkInstructions(at.Workflow, step)
		named, err := at.Names(step.Agent)
		f.checkModels(at, step, named, err)
		for _, ref := range named.Refs {
			abilities.check(ref, step, named)
		}
	})
	if f.checking {
		f.all = append(f.all, abilities.all...)
	} else {
		f.all = append(f.all, abilities.mistakes()...)
	}
}

func (f *preflight) errorf(at workflows.Position, code, hint, format string, args ...any) {
	f.add(at, workflows.SeverityError, code, fmt.Sprintf(format, args...), hint)
}

// checkWorkspace looks for the folder to work in, and returns it, or where flow was
// started where there is none.
func (f *preflight) checkWorkspace(w *workflows.Workflow) string {
	start, err := startFolder()
	if err != nil || w.Workspace == nil || f.workspace != "" {
		return start
	}
	path, known := w.Workspace.Static()
	if !known && f.values != nil {
		text, err := w.Workspace.Text(f.names(w, f.values))
		path, known = text, err == nil
	}
	if !known {
		return start
	}
	folder := absolute(start, path)
	const hint = "it starts where flow is started; --workspace names another"
	switch info, err := os.Stat(folder); {
	case err != nil:
		f.errorf(w.Workspace.Position(), codeWorkspace, hint, "the workspace %s: %v", folder, plainError(err))
	case !info.IsDir():
		f.errorf(w.Workspace.Position(), codeWorkspace, hint, "the workspace %s is no folder", folder)
	default:
		return folder
	}
	return start
}

// checkInstructions looks for the files that are added to the system prompt.
func (f *preflight) checkInstructions(w *workflows.Workflow, step *workflows.Step) {
	for _, file := range step.Agent.Instructions {
		path, known := file.Static()
		if !known && w == f.top && f.values != nil {
			text, err := file.Text(f.names(w, f.values))
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

// checkModels looks at the models that a step of a workflow asks; err is why they
// are not named.
func (f *preflight) checkModels(at *runner.Linked, step *workflows.Step, named runner.Naming, err error) {
	if f.model != "" && !f.checking {
		return
	}
	switch {
	case named.At == nil && len(named.Refs) == 0 && f.checking && err == nil:
		f.add(step.Pos, workflows.SeverityWarning, codeModel,
			fmt.Sprintf("step %q has no model of its own: it asks that of a workflow that uses this one, or of --model", step.Path), "")
	case named.At == nil && len(named.Refs) == 0 && err == nil:
		f.errorf(step.Pos, codeModel, "name one with model: here or at the top of the file, or with --model", "step %q has no model", step.Path)
	case err != nil:
		f.wrong(placeOfModel(named, step), codeModel, err)
	}
	for _, ref := range named.Refs {
		f.checkModel(at, named, step, ref)
	}
}

// checkModel looks at one reference.
func (f *preflight) checkModel(at *runner.Linked, named runner.Naming, step *workflows.Step, ref string) {
	provider, name, err := splitReference(ref)
	switch {
	case err != nil:
	case provider == scriptProvider:
		f.checkScript(at.Workflow, named, step, name)
	case !slices.Contains(providerNames(named.By), provider):
		err = unknownProvider(provider, named.By)
	default:
		err = at.CheckPrice(ref)
	}
	if err != nil {
		f.wrong(placeOfModel(named, step), codeModel, err)
	}
}

// placeOfModel is where a step's model is named: the step, where the command line
// names it.
func placeOfModel(named runner.Naming, step *workflows.Step) workflows.Position {
	if named.At == nil {
		return step.Pos
	}
	return named.At.Position()
}

// wrong is what a run would say.
func (f *preflight) wrong(at workflows.Position, code string, err error) {
	hint := ""
	var told *steps.Error
	if errors.As(err, &told) {
		hint = told.Hint
	}
	f.errorf(at, code, hint, "%v", err)
}

// checkScript looks for the script of a scripted model, and for the step's turns
// in it.
func (f *preflight) checkScript(w *workflows.Workflow, named runner.Naming, step *workflows.Step, name string) {
	at, dir := placeOfModel(named, step), named.By.Dir
	if named.At == nil {
		dir = f.top.Dir
	}
	played, err := readScript(absolute(dir, filepath.FromSlash(name)))
	switch {
	case err != nil:
		f.errorf(at, codeScript, "paths of scripts start at the workflow's folder", "%v", err)
	case len(played.Steps) == 0:
		f.errorf(at, codeScript, `such as steps: {"*": [{text: Hello.}]}`, "the script %s has no turns", name)
	case w == f.top && !hasTurns(slices.Collect(maps.Keys(played.Steps)), step.Path):
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
