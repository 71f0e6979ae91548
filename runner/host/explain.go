package host

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/toolname"
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
}

// Judge judges one call as the guard of a run would. Nothing is called. Reading in the outputs of
// a run is judged like reading any other file, since no run is known. It returns an error if the
// step or the tool does not exist, or if the arguments are malformed.
func (l *Loaded) Judge(c StepCall) (Judgement, error) {
	q, err := l.question(c)
	if err != nil {
		return Judgement{}, err
	}
	d, err := q.by(q.scope.Layers)
	if err != nil {
		return Judgement{}, err
	}
	offered := slices.ContainsFunc(q.found.step.ToolNames(), func(entry string) bool { return lists(entry, c.Tool) })
	judged := Judgement{Decision: d, Input: q.call.Input, Offered: offered}
	if q.found.step.Agent != nil {
		judged.Agent = q.found.step.Agent.Takes
	}
	return judged, nil
}

// A LayerDecision is what one workflow around a step, or its own, decides about a call: by the rules
// of its file, and by those of its step.
type LayerDecision struct {
	runner.Layer
	permission.Decision
}

// JudgeEach judges one call as [Loaded.Judge] does, by the rules of each workflow alone, outermost
// first. In a run all of them have to allow it.
func (l *Loaded) JudgeEach(c StepCall) ([]LayerDecision, error) {
	q, err := l.question(c)
	if err != nil {
		return nil, err
	}
	var all []LayerDecision
	for i, layer := range q.scope.Layers {
		d, err := q.by(q.scope.Layers[i : i+1])
		if err != nil {
			return nil, err
		}
		all = append(all, LayerDecision{layer, d})
	}
	return all, nil
}

// A question is a call that is judged, and where.
type question struct {
	*toolboxes
	found     foundStep
	scope     runner.ToolScope
	protected []string
	call      permission.Call
}

func (l *Loaded) question(c StepCall) (q *question, err error) {
	q = &question{toolboxes: newToolboxes(l, Options{}), call: permission.Call{Tool: c.Tool}}
	if q.found, err = l.findStep(c.Step); err != nil {
		return nil, err
	}
	if q.found.step.Agent == nil && q.found.step.Call == nil {
		return nil, steps.Invalid("", "step %q is a %s step: no rules apply to it", c.Step, q.found.step.Kind)
	}
	if err := l.checkTool(q.found.workflow, c.Tool); err != nil {
		return nil, err
	}
	inputs := defaults(l.Workflow)
	maps.Copy(inputs, c.Inputs)
	root, err := l.workspaceFor(c.Workspace, inputs)
	if err != nil {
		return nil, err
	}
	if q.call.Input, err = callInput(c.Tool, c.Argument); err != nil {
		return nil, err
	}
	q.scope = l.env.scopeOf(q.found, root)
	q.protected = q.protectedFrom(q.scope)
	return q, nil
}

// by decides the question by some of the layers around it.
func (q *question) by(layers []runner.Layer) (permission.Decision, error) {
	isHeld := held.Available() == nil && q.limitsOf(q.scope).judgesByRules()
	scope := q.scope
	scope.Layers = layers
	ruled, err := q.policiesOf(scope, q.protected, func() bool { return isHeld })
	if err != nil {
		return permission.Decision{}, err
	}
	return ruled.decide(mcpCalls(q.found.workflow, q.call)...), nil
}

// scopeOf returns the scope of a step's tools, as far as it is known before anything runs.
func (env Environment) scopeOf(found foundStep, workspace string) runner.ToolScope {
	scope := runner.ToolScope{Workflow: found.workflow, Workspace: workspace, Tools: found.step.ToolNames(), Layers: found.layers}
	for i := range scope.Layers {
		scope.Layers[i].Workspace = workspace
	}
	for _, in := range found.folders {
		path, err := in.path.Text(env.names(in.workflow, defaults(in.workflow)))
		if err != nil {
			break // it hangs on what is not known
		}
		scope.Workspace = filepath.Clean(paths.In(scope.Workspace, path))
	}
	return scope
}

// toolNames returns the names of the built-in tools, of those of the environment and of the workflow's
// own.
func (l *Loaded) toolNames(w *workflows.Workflow) (names []string) {
	for _, info := range l.ToolInfos() {
		names = append(names, info.Name)
	}
	return append(names, customNames(w)...)
}

// checkTool returns an error if a tool is neither built in, nor of the environment, nor the
// workflow's own.
func (l *Loaded) checkTool(w *workflows.Workflow, tool string) error {
	known := l.toolNames(w)
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
	name := toolname.MainArgument(tool)
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
