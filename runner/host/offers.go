package host

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An Offer is what a step has of tools: those that its model is shown, or the one that
// it calls.
type Offer struct {
	Step   string        `json:"step"`            // its path; of a used workflow's behind the step that uses it
	Agent  string        `json:"agent,omitempty"` // whose settings the step takes
	Calls  bool          `json:"calls,omitempty"` // the step calls the tool itself, without a model
	Tools  []OfferedTool `json:"tools"`
	Hidden []string      `json:"hidden,omitempty"` // listed, and no call of them is ever allowed: a model is not shown them
	Absent []string      `json:"absent,omitempty"` // listed, and not there: of servers that did not start, or have no such tool
}

// An OfferedTool is a tool as a model is shown it: without pinned arguments.
type OfferedTool struct {
	Name        string          `json:"name"`
	Server      string          `json:"server,omitempty"` // that it is of
	Description string          `json:"description"`
	Pinned      []string        `json:"pinned,omitempty"` // the names of arguments that the model neither sees nor sets, sorted
	Parameters  json.RawMessage `json:"parameters"`       // JSON Schema of an object
}

// Offers lists what each step that has tools is offered. Servers that the steps name
// are started for that, in the workflow's folder, and ended; nothing else runs. What
// hangs on inputs that are not given, or on earlier steps, is taken for nothing. Warn
// hears of servers that do not start; it may be nil. The error is a *[steps.Error], such as for
// a required server that does not start, or one that lacks a tool that a step names.
func (l *Loaded) Offers(ctx context.Context, inputs map[string]any, warn func(message string)) (all []Offer, err error) {
	root, err := l.workspaceFor("", inputs)
	if err != nil { // it depends on what is not known
		if root, err = StartFolder(); err != nil {
			return nil, err
		}
	}
	boxes := newToolboxes(l, Options{Mask: l.Mask(), Warn: warn})
	boxes.unknown = true
	defer func() {
		if closed := boxes.close(); err == nil {
			err = closed
		}
	}()
	for at, step := range l.Paths() {
		if len(step.ToolNames()) == 0 {
			continue
		}
		step, scope, err := l.scopeAt(at, root, inputs)
		if err != nil {
			return nil, err
		}
		w, given := scope.Workflow, inputs
		if w != l.Workflow {
			given = defaults(w)
		}
		scope.Env, scope.Environment = l.env.names(w, given), l.env.ofCommands(l.env.expand(w.Env.Names), nil)
		box, err := boxes.box(ctx, scope)
		if err != nil {
			return nil, err
		}
		offer, err := offerOf(at, step, w, box)
		if err != nil {
			return nil, err
		}
		all = append(all, offer)
	}
	return all, nil
}

// offerOf returns what a step with a path in a workflow is offered.
func offerOf(path string, step *workflows.Step, w *workflows.Workflow, box runner.Toolbox) (o Offer, err error) {
	o = Offer{Step: path, Calls: step.Call != nil, Tools: []OfferedTool{}}
	var entries []workflows.ToolEntry
	if step.Call != nil {
		entries = []workflows.ToolEntry{{Name: step.Call.Tool}}
	} else {
		entries, o.Agent = step.Agent.Tools, step.Agent.Takes
	}
	for _, entry := range entries {
		if err := o.add(box, w, entry); err != nil {
			return o, err
		}
	}
	return o, nil
}

// add adds what an entry of the step's list stands for.
func (o *Offer) add(box runner.Toolbox, w *workflows.Workflow, entry workflows.ToolEntry) error {
	found := box.Find(entry.Name)
	if entry.Runs != nil {
		found = []tools.Tool{runner.WorkflowTool(entry.Runs, "")}
	}
	if len(found) == 0 {
		o.Absent = append(o.Absent, entry.Name)
	}
	pinned := slices.Sorted(maps.Keys(entry.With))
	for _, tool := range found {
		name := tool.Spec().Name
		if _, missing := tool.(missingTool); missing {
			o.Absent = append(o.Absent, name)
			continue
		}
		if !box.Guard.Offered(name) {
			o.Hidden = append(o.Hidden, name)
			continue
		}
		spec, err := tool.Spec().Without(pinned)
		if err != nil {
			return configuration("", "tool %q: %v", name, err)
		}
		offered := OfferedTool{Name: spec.Name, Description: spec.Description, Pinned: pinned, Parameters: spec.Parameters}
		if servers := serversNamed(w, []string{name}); len(servers) > 0 && w.CustomTools[name] == nil {
			offered.Server = servers[0]
		}
		o.Tools = append(o.Tools, offered)
	}
	return nil
}
