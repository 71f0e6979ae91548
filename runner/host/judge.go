package host

import (
	"encoding/json"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A StepCall is a call that the model of a step may make.
type StepCall struct {
	Step      string // its path, such as group/inner; in a used workflow it follows the step that uses it
	Tool      string
	Argument  string // the argument that rules judge, such as a path or a command, or all arguments as a JSON object
	Workspace string // the folder in which the workflow works; "": the workflow's

	Inputs map[string]any // as [workflows.Workflow.CheckInputs] returns them; those that are left out have their defaults
}

// A Judgement is the decision about a call, and its reason.
type Judgement struct {
	Input   json.RawMessage `json:"input"`           // the arguments of the call
	Offered bool            `json:"offered"`         // the step lists the tool
	Agent   string          `json:"agent,omitempty"` // whose settings the step takes
	permission.Decision

	Layers []LayerDecision `json:"-"` // outermost first; in a run all of them have to allow a call
}

// A LayerDecision is what one workflow around a step, or its own, decides alone about a call: by the rules
// of its file, and by those of its step.
type LayerDecision struct {
	runner.Layer
	permission.Decision
}

// Judge judges one call as the guard of a run would. Nothing is called. Reading in the outputs of
// a run is judged like reading any other file, since no run is known. It returns an error if the
// step or the tool does not exist, or if the arguments are malformed.
func (l *Loaded) Judge(c StepCall) (j Judgement, err error) {
	inputs := defaults(l.Workflow)
	maps.Copy(inputs, c.Inputs)
	root, err := l.workspaceFor(c.Workspace, inputs)
	if err != nil {
		return j, err
	}
	step, scope, err := l.scopeAt(c.Step, root, inputs)
	if err != nil {
		return j, err
	}
	if step.Agent == nil && step.Call == nil {
		return j, steps.Invalid("", "no rules apply to the %s step %q", step.Kind, c.Step)
	}
	if err := l.checkTool(scope.Workflow, c.Tool); err != nil {
		return j, err
	}
	if j.Input, err = callInput(c.Tool, c.Argument); err != nil {
		return j, err
	}
	j.Offered = slices.ContainsFunc(scope.Tools, func(entry string) bool { return lists(entry, c.Tool) })
	if step.Agent != nil {
		j.Agent = step.Agent.Takes
	}
	calls := mcpCalls(scope.Workflow, permission.Call{Tool: c.Tool, Input: j.Input})
	err = j.decide(newToolboxes(l, Options{Inputs: inputs}), scope, calls)
	return j, err
}

// decide adds the decisions of all layers of a scope together, and of each alone.
func (j *Judgement) decide(b *toolboxes, scope runner.ToolScope, calls []permission.Call) error {
	protected, isHeld := b.protectedFrom(scope), held.Available() == nil && b.limitsOf(scope).judgesByRules()
	by := func(layers []runner.Layer) (strictest permission.Decision, err error) {
		scope.Layers = layers
		ruled, err := b.policyOf(scope, protected, func() bool { return isHeld })
		if err != nil {
			return strictest, err
		}
		for i, call := range calls {
			if d := ruled.Decide(call); i == 0 || d.Verdict < strictest.Verdict {
				strictest = d
			}
		}
		return strictest, nil
	}
	layers := scope.Layers
	var err error
	if j.Decision, err = by(layers); err != nil {
		return err
	}
	for i, layer := range layers {
		d, err := by(layers[i : i+1])
		if err != nil {
			return err
		}
		j.Layers = append(j.Layers, LayerDecision{layer, d})
	}
	return nil
}

// scopeAt returns the step with a path, such as pages or group/inner, and the scope of its tools, as far
// as it is known before anything runs. In a used workflow the path follows the step that uses it.
func (l *Loaded) scopeAt(path, workspace string, inputs map[string]any) (step *workflows.Step, scope runner.ToolScope, err error) {
	scope = runner.ToolScope{Workflow: l.Workflow, Workspace: workspace}
	layer := func(rules workflows.Permissions) {
		env := l.env.names(scope.Workflow, inputs) // the patterns of a used workflow have no inputs
		scope.Layers = append(scope.Layers, runner.Layer{Workflow: scope.Workflow, Step: rules, Workspace: workspace, Env: env})
	}
	list, known := l.Steps, true
	names := strings.Split(path, "/")
	for i, name := range names {
		if step != nil && step.Use != nil {
			for _, rules := range step.RuleSets() {
				layer(rules)
			}
			scope.Workflow = step.Use.Workflow
		}
		at := slices.IndexFunc(list, func(step *workflows.Step) bool { return step.Name == name })
		if at < 0 {
			return nil, scope, unknownStep(names[:i], name, list)
		}
		step = list[at]
		list = step.Inside()
		if step.Workspace == nil || !known {
			continue
		}
		folder, err := step.Workspace.Text(l.env.names(scope.Workflow, defaults(scope.Workflow)))
		if known = err == nil; known {
			scope.Workspace = filepath.Clean(paths.In(scope.Workspace, folder))
		}
	}
	for _, rules := range step.RuleSets() {
		layer(rules)
	}
	scope.Tools = step.ToolNames()
	return step, scope, nil
}

// checkTool returns an error if a tool is neither built in, nor of the environment, nor the
// workflow's own.
func (l *Loaded) checkTool(w *workflows.Workflow, tool string) error {
	var known []string
	for _, info := range l.ToolInfos() {
		known = append(known, info.Name)
	}
	known = append(known, customNames(w)...)
	if slices.Contains(known, tool) || len(serversNamed(w, []string{tool})) > 0 {
		return nil
	}
	return steps.Invalid(nearest.Hint(tool, known, "there are "+strings.Join(known, ", ")), "no tool %q", tool)
}

// callInput makes a call's arguments from one word: a JSON object, or the argument that rules
// judge. A command may begin like an object, too.
func callInput(tool, argument string) (json.RawMessage, error) {
	if !strings.HasPrefix(strings.TrimSpace(argument), "{") {
		return mainInput(tool, argument)
	}
	switch {
	case json.Valid([]byte(argument)):
		return json.RawMessage(argument), nil
	case tool == toolBash:
		return mainInput(tool, argument)
	}
	return nil, steps.Invalid("", "the arguments of the call are not JSON: %s", argument)
}

// mainInput returns the arguments of a call of which only the one that rules judge is known.
func mainInput(tool, argument string) (json.RawMessage, error) {
	name := known.MainArgument(tool)
	arguments := map[string]string{}
	switch {
	case tool == "glob" || tool == "grep":
		arguments = map[string]string{"pattern": "*", "path": argument}
	case name != "":
		arguments[name] = argument
	case argument != "":
		return nil, steps.Invalid("such as '{\"package\": \"fmt\"}'", "give the arguments of %s as a JSON object", tool)
	}
	return json.Marshal(arguments)
}

// unknownStep returns the error for an unknown step, with the nearest one, or with all.
func unknownStep(around []string, name string, list []*workflows.Step) error {
	at := func(name string) string { return path.Join(append(slices.Clone(around), name)...) }
	var known []string
	for _, step := range list {
		known = append(known, at(step.Name))
		for _, inner := range step.Inside() {
			known = append(known, at(step.Name+"/"+inner.Name))
		}
	}
	hint := "the steps here are " + strings.Join(known, ", ")
	if len(known) == 0 {
		hint = "there are no steps inside of this one"
	}
	return steps.Invalid(nearest.Hint(at(name), known, hint), "there is no step %q", at(name))
}
