package host

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// A preflight finds problems that would keep a workflow without mistakes from running: it links the
// workflow, and checks each agent once.
type preflight struct {
	*Loaded
	findings
	options  runner.Options
	models   *Models
	checking bool            // nothing runs now: a model may still be given, and one that is gets looked at
	told     map[string]bool // the references of the command line of which a mistake was told
}

// CheckOptions say how a workflow would be run that is checked. The zero value is a run without inputs.
type CheckOptions struct {
	Model     string         // replaces the models of the file; "": as the file says
	Workspace string         // the folder to work in; "": as the file says, or the current folder
	Inputs    map[string]any // as [workflows.Workflow.CheckInputs] returns them; those that are left out have their defaults
}

// Check reports problems that would keep the workflow from running, as far as they are known from
// the options: folders, instructions, models, scripts, and missing abilities of models. It does not
// look at keys and base URLs, which a checker of files need not have. A warning lists what can't be
// checked without required inputs. It does not repeat the diagnostics of [Load].
func (l *Loaded) Check(o CheckOptions) workflows.Diagnostics {
	f := &preflight{Loaded: l, models: NewModels(l.env), checking: true}
	given := Options{Model: o.Model, Workspace: o.Workspace, Models: f.models}
	f.options = l.runnerOptions(given, newToolboxes(l, given))
	missing := func(in workflows.Input) bool {
		_, given := o.Inputs[in.Name]
		return !given && in.Default == nil
	}
	if !slices.ContainsFunc(l.Inputs, missing) {
		f.options.Inputs = defaults(l.Workflow)
		maps.Copy(f.options.Inputs, o.Inputs)
	}
	_, _ = f.link() // what keeps it from being linked is told where it runs
	return f.found.Sorted()
}

// link checks the workflow, and links it with the options. Its error is one of linking; all others
// are among the findings.
func (f *preflight) link() (*runner.Linked, error) {
	o := f.options
	if folder := f.checkWorkspace(); f.checking || f.found.HasErrors() {
		o.Workspace = folder
	}
	top, err := runner.Link(o)
	if err != nil {
		return nil, err
	}
	abilities := &abilityChecker{models: f.models, looked: map[modelKey]modelAbilities{}}
	eachAgent(top, func(at *runner.Linked, step *workflows.Step) {
		f.checkInstructions(at.Workflow, step)
		named, err := at.Names(step.Agent)
		f.checkModels(at, step, named, err)
		for _, ref := range named.Refs {
			abilities.check(ref, step, named)
		}
	})
	if f.checking {
		f.found = append(f.found, abilities.found...)
	} else {
		f.found = append(f.found, abilities.mistakes()...)
	}
	f.found = f.quoted(f.found)
	return top, nil
}

func (f *preflight) errorf(at workflows.Position, code, hint, format string, args ...any) {
	f.add(at, workflows.SeverityError, code, fmt.Sprintf(format, args...), hint)
}

// checkWorkspace finds the workspace. If there is none it returns the current folder.
func (f *preflight) checkWorkspace() string {
	start, err := StartFolder()
	w := f.Workflow
	if given := f.options.Workspace; err == nil && given != "" && f.checking {
		return f.checkFolder(workflows.Position{File: w.Shown, Line: 1, Column: 1}, start, given)
	}
	if err != nil || w.Workspace == nil || f.options.Workspace != "" {
		return start
	}
	path, known := w.Workspace.Static()
	if !known && f.options.Inputs != nil {
		text, err := w.Workspace.Text(f.env.names(w, f.options.Inputs))
		path, known = text, err == nil
	}
	if !known {
		f.unseen(w.Workspace.Position(), "workspace", w.Workspace.Mentions("inputs"))
		return start
	}
	return f.checkFolder(w.Workspace.Position(), start, path)
}

// checkFolder returns the workspace at a path, or the current folder if there is none.
func (f *preflight) checkFolder(at workflows.Position, start, path string) string {
	folder := paths.In(start, path)
	problem := ""
	switch info, err := os.Stat(folder); {
	case err != nil:
		problem = fmt.Sprintf("the workspace %s: %v", folder, paths.Cause(err))
	case !info.IsDir():
		problem = fmt.Sprintf("the workspace %s is not a folder", folder)
	default:
		return folder
	}
	f.keep(at, workflows.Diagnostic{
		Severity: workflows.SeverityError, Code: diagnostic.CodeWorkspace, Message: problem,
		Hint: "relative paths start at the current folder", Option: runner.OptionWorkspace,
	})
	return start
}

// checkInstructions finds the files that are added to the system prompt.
func (f *preflight) checkInstructions(w *workflows.Workflow, step *workflows.Step) {
	for _, file := range step.Agent.Instructions {
		path, known := file.Static()
		if !known && w == f.Workflow && f.options.Inputs != nil {
			text, err := file.Text(f.env.names(w, f.options.Inputs))
			path, known = text, err == nil
		}
		if !known {
			f.unseen(file.Position(), "instructions", w == f.Workflow && file.Mentions("inputs"))
			continue
		}
		if err := checkRegular(paths.In(w.Dir, filepath.FromSlash(path))); err != nil {
			f.errorf(file.Position(), diagnostic.CodeFile, "paths of instructions start at the workflow's folder", "the instructions %s: %v", path, err)
		}
	}
}

// checkModels checks the models that a step asks; err says why they are unknown.
func (f *preflight) checkModels(at *runner.Linked, step *workflows.Step, named runner.Naming, err error) {
	if f.options.Model != "" && !f.checking {
		return
	}
	switch {
	case named.At == nil && len(named.Refs) == 0 && f.checking && err == nil:
		f.keep(step.Pos, workflows.Diagnostic{
			Severity: workflows.SeverityWarning, Code: diagnostic.CodeModel, Option: runner.OptionModel,
			Message: fmt.Sprintf("step %q has no model of its own", step.Path), Hint: "name one with model: unless a workflow that uses this one does",
		})
	case named.At == nil && len(named.Refs) == 0 && err == nil:
		f.keep(step.Pos, workflows.Diagnostic{
			Severity: workflows.SeverityError, Code: diagnostic.CodeModel, Option: runner.OptionModel,
			Message: fmt.Sprintf("step %q has no model", step.Path), Hint: "name one with model: here or at the top of the file",
		})
	case err != nil:
		f.wrong(positionOfModel(named, step), diagnostic.CodeModel, err)
	case named.At != nil && len(named.Refs) == 0:
		f.unseen(named.At.Position(), "model", named.By == f.Workflow && named.At.Mentions("inputs"))
	}
	for _, ref := range named.Refs {
		f.checkModel(at, named, step, ref)
	}
}

// checkModel checks one reference.
func (f *preflight) checkModel(at *runner.Linked, named runner.Naming, step *workflows.Step, ref string) {
	provider, name, err := splitReference(ref)
	var own providers.Model
	if err == nil {
		own, err = f.env.model(ref)
	}
	switch {
	case err != nil:
	case own != nil:
		err = at.CheckPrice(ref)
	case provider == scriptProvider:
		f.checkScript(named, step, name)
	case !slices.Contains(f.env.providerNames(named.By), provider):
		err = f.env.unknownProvider(provider, named.By)
	default:
		f.checkNearModel(named, step, ref)
		err = at.CheckPrice(ref)
	}
	if err != nil && f.tells(named, ref) {
		f.wrong(positionOfModel(named, step), diagnostic.CodeModel, err)
	}
}

// tells reports whether a mistake of a model has to be told: one of the command line's is told for one
// step only.
func (f *preflight) tells(named runner.Naming, ref string) bool {
	if named.At != nil {
		return true
	}
	told := f.told[ref]
	if f.told == nil {
		f.told = map[string]bool{}
	}
	f.told[ref] = true
	return !told
}

// positionOfModel is the position of a model's name or, if the command line names it, of the step.
func positionOfModel(named runner.Naming, step *workflows.Step) workflows.Position {
	if named.At == nil {
		return step.Pos
	}
	return named.At.Position()
}

// wrong adds the error that a run would return.
func (f *preflight) wrong(at workflows.Position, code string, err error) {
	hint := ""
	var told *steps.Error
	if errors.As(err, &told) {
		hint = told.Hint
	}
	f.errorf(at, code, hint, "%v", err)
}
