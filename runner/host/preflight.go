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
// workflow, and checks each agent.
type preflight struct {
	*Loaded
	findings
	options  runner.Options
	models   *Models
	checking bool // nothing runs now: a model may still be given, and one that is gets looked at
}

// CheckOptions say how a workflow would be run that is checked. The zero value is a run without inputs.
type CheckOptions struct {
	Model     string         // replaces the models of the file; "": as the file says
	Workspace string         // the folder to work in; "": as the file says, or the current folder
	Inputs    map[string]any // as [workflows.Workflow.CheckInputs] returns them; those that are left out have their defaults
}

// Check reports problems that would keep the workflow from running, as far as they are known from
// the options: folders, instructions, models, scripts, and missing abilities of models. It does not
// look at keys and base URLs, which a checker of files need not have, nor at what depends on
// required inputs that are not given. It does not repeat the diagnostics of [Load].
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
	eachAgent(top, func(at *runner.Linked, step *workflows.Step) {
		f.checkInstructions(at.Workflow, step)
		named, err := at.Names(step.Agent)
		f.checkModels(at, step, named, err)
		for _, ref := range named.Refs {
			f.checkAbilities(ref, step, named)
		}
	})
	f.found = f.quoted(f.found)
	return top, nil
}

// known returns the text of a template, as far as it is known before anything runs.
func (f *preflight) known(w *workflows.Workflow, t *workflows.Template) (text string, known bool) {
	if text, known = t.Static(); known || w != f.Workflow || f.options.Inputs == nil {
		return text, known
	}
	text, err := t.Text(f.env.names(w, f.options.Inputs))
	return text, err == nil
}

// checkWorkspace returns the folder in which the workflow works; the current one if there is none, or
// if it is not known.
func (f *preflight) checkWorkspace() string {
	start, err := StartFolder()
	at, path := f.top(), f.options.Workspace
	switch {
	case err != nil, path != "" && !f.checking: // the run reports it
		return start
	case path == "" && f.Workflow.Workspace != nil:
		at = f.Workflow.Workspace.Position()
		path, _ = f.known(f.Workflow, f.Workflow.Workspace)
	}
	if path == "" {
		return start
	}
	folder := paths.In(start, path)
	problem := ""
	switch info, err := os.Stat(folder); {
	case err != nil:
		problem = fmt.Sprintf("the workspace %q can't be used: %v", folder, paths.Cause(err))
	case !info.IsDir():
		problem = fmt.Sprintf("the workspace %q is not a folder", folder)
	default:
		return folder
	}
	f.keep(at, workflows.Diagnostic{
		Severity: workflows.SeverityError, Code: diagnostic.CodeWorkspace, Message: problem,
		Hint: "name a folder that exists; a relative path starts in the current folder", Option: runner.OptionWorkspace,
	})
	return start
}

// checkInstructions finds the files that are added to the system prompt.
func (f *preflight) checkInstructions(w *workflows.Workflow, step *workflows.Step) {
	for _, file := range step.Agent.Instructions {
		path, known := f.known(w, file)
		if !known {
			continue
		}
		if err := checkRegular(paths.In(w.Dir, filepath.FromSlash(path))); err != nil {
			f.add(file.Position(), workflows.SeverityError, diagnostic.CodeFile, fmt.Sprintf("the instructions %s: %v", path, err), "paths of instructions start at the workflow's folder")
		}
	}
}

// checkModels checks the models that a step asks; err says why they are unknown.
func (f *preflight) checkModels(at *runner.Linked, step *workflows.Step, named runner.Naming, err error) {
	switch {
	case f.options.Model != "" && !f.checking:
		return
	case err != nil:
		f.wrong(f.positionOfModel(named), diagnostic.CodeModel, err)
	case named.At == nil && len(named.Refs) == 0:
		d := workflows.Diagnostic{
			Severity: workflows.SeverityError, Code: diagnostic.CodeModel, Option: runner.OptionModel,
			Message: fmt.Sprintf("step %q has no model", step.Path), Hint: "name one with model: here or at the top of the file",
		}
		if f.checking { // a workflow that uses this one may name one
			d.Severity, d.Message = workflows.SeverityWarning, d.Message+" of its own"
			d.Hint = "name one with model: unless a workflow that uses this one does"
		}
		f.keep(step.Pos, d)
	}
	for _, ref := range named.Refs {
		f.checkModel(at, named, ref)
	}
}

// checkModel checks one reference.
func (f *preflight) checkModel(at *runner.Linked, named runner.Naming, ref string) {
	code := diagnostic.CodeModel
	provider, name, err := splitReference(ref)
	var own providers.Model
	if err == nil {
		own, err = f.env.model(ref)
	}
	switch {
	case err != nil:
	case own == nil && provider == scriptProvider:
		code, err = diagnostic.CodeScript, f.checkScript(named, name)
	case own == nil && !f.env.hasProvider(provider, named.By):
		err = f.env.unknownProvider(provider, named.By)
	default:
		err = at.CheckPrice(ref)
	}
	if err != nil {
		f.wrong(f.positionOfModel(named), code, err)
	}
}

// checkScript checks the file of a scripted model. The path of one that the options name starts at the
// run's workflow.
func (f *preflight) checkScript(named runner.Naming, name string) error {
	dir := named.By.Dir
	if named.At == nil {
		dir = f.Dir
	}
	played, err := f.models.script(paths.In(dir, filepath.FromSlash(name)))
	if err == nil && len(played.Steps) == 0 {
		err = configuration(`such as steps: {"*": [{text: Hello.}]}`, "the script %s has no turns", name)
	}
	return err
}

// positionOfModel is the position of a model's name or, if the command line names it, of the file: the
// same for all steps, so that it is told once.
func (f *preflight) positionOfModel(named runner.Naming) workflows.Position {
	if named.At == nil {
		return f.top()
	}
	return named.At.Position()
}

// top is the position of what is not in the file.
func (f *preflight) top() workflows.Position {
	return workflows.Position{File: f.Shown, Line: 1, Column: 1}
}

// wrong adds the error that a run would return.
func (f *preflight) wrong(at workflows.Position, code string, err error) {
	var mistakes workflows.Diagnostics
	if errors.As(err, &mistakes) {
		f.found = append(f.found, mistakes...)
		return
	}
	f.add(at, workflows.SeverityError, code, err.Error(), steps.HintOf(err))
}

// eachAgent visits the agents of a workflow and of those that it uses.
func eachAgent(at *runner.Linked, visit func(at *runner.Linked, step *workflows.Step)) {
	for _, step := range workflows.Leaves(at.Workflow.Steps) {
		switch {
		case step.Agent != nil:
			visit(at, step)
		case step.Use != nil:
			eachAgent(at.Uses(step.Use.Workflow), visit)
		}
	}
}
