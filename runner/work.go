package runner

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Work is a rendered step, or where the steps of a group or of a used workflow work: the values of all its expressions, as JSON without functions. It
// says what a unit is about to do, and is compared if the files have changed: the same files,
// inputs and earlier results give the same Work, in any folder and any run. Binding it to the
// linked workflow and to the host makes the function that runs.
//
// It makes no difference whether values have passed through JSON.
type Work struct {
	Kind      workflows.Kind       `json:"kind"`
	Folder    string               `json:"folder"`               // to work in, relative to the run's workspace
	Variables []string             `json:"variables,omitempty"`  // the names, and patterns, of variables that commands get
	Given     map[string]string    `json:"given,omitempty"`      // variables to which the file gives values
	TimeoutMS int64                `json:"timeout_ms,omitempty"` // of the step, with all retries
	Output    workflows.OutputSpec `json:"output,omitzero"`      // the form that the result must have
	Limits    workflows.Truncate   `json:"limits,omitzero"`      // of what is kept of long outputs

	Agent     *AgentWork        `json:"agent,omitempty"`
	Script    *ScriptWork       `json:"script,omitempty"`
	Question  *journal.Question `json:"question,omitempty"`  // without Schema and Recipe
	Arguments json.RawMessage   `json:"arguments,omitempty"` // of a single call: an object
	Inputs    map[string]any    `json:"inputs,omitempty"`    // of a used workflow

	Tools []ToolWork  `json:"tools,omitempty"` // those that the model is offered, or the one that is called
	Rules []RuleLayer `json:"rules,omitempty"` // for their calls, outermost first; the last is the step's own
}

// AgentWork is a conversation to be had with a model.
type AgentWork struct {
	Models   []string `json:"models"`              // references; the next is asked if one is not available
	ModelsOf string   `json:"models_of,omitempty"` // the file of the workflow that names them, and that may define their endpoints

	Scripts map[string]string `json:"scripts,omitempty"` // the digests of the files of scripted models, to be compared

	System string           `json:"system,omitempty"`
	Prompt string           `json:"prompt"`
	Params workflows.Params `json:"params"`

	Stop         StopWork    `json:"stop"`
	Checks       []CheckWork `json:"checks,omitempty"`
	MaxFixes     int         `json:"max_fixes,omitempty"`
	FailOnDenied bool        `json:"fail_on_denied,omitempty"`
	FixedContext bool        `json:"fixed_context,omitempty"`
}

// StopWork bounds an agent. A zero field sets no bound.
type StopWork struct {
	steps.Stop           // without its When
	When       *LateWork `json:"when,omitempty"`
}

// LateWork is something that is evaluated while the step runs: an expression, or a command
// with expressions in it.
type LateWork struct {
	Source string         `json:"source"`         // its text in the file
	Sees   map[string]any `json:"sees,omitempty"` // the values that it refers to, as far as they are known before the step runs
}

// A CheckWork is a check that runs when the model says that it is done.
type CheckWork struct {
	LateWork
	Command bool  `json:"command,omitempty"` // the source is a script
	Held    *bool `json:"held,omitempty"`    // as in the file
}

// ScriptWork is a script with its values.
type ScriptWork struct {
	Source string               `json:"source"`
	Values []workflows.Variable `json:"values,omitempty"`
	Held   bool                 `json:"held,omitempty"`
}

// ToolWork is an entry of the list of tools.
type ToolWork struct {
	Name     string              `json:"name"`             // may be a pattern of a server's tools
	Sum      string              `json:"sum,omitempty"`    // the digest of a tool that the workflow defines, to be compared
	Pinned   map[string]any      `json:"pinned,omitempty"` // arguments that the model neither sees nor sets
	MaxCalls int                 `json:"max_calls,omitempty"`
	Parallel tools.Parallel      `json:"parallel,omitempty"`
	Limits   *workflows.Truncate `json:"limits,omitempty"` // nil: the step's
}

// A RuleLayer has the rules of one workflow and of one of its steps, to be compared and shown.
// Those of the linked workflow decide.
type RuleLayer struct {
	Folder   string              `json:"folder"` // where relative patterns start, relative to the run's workspace
	Workflow map[string][]string `json:"workflow,omitempty"`
	Step     map[string][]string `json:"step,omitempty"` // by tool, each as "pattern: decision"
}

// wholeMilliseconds returns at least 1 for any time that is not 0, since 0 is no bound.
func wholeMilliseconds(d time.Duration) int64 {
	if d > 0 && d < time.Millisecond {
		return 1
	}
	return d.Milliseconds()
}

// newWork returns work at the place where the step works.
func (t *site) newWork() *Work {
	return &Work{Kind: t.step.Kind, Folder: t.in.relative(t.at.workspace), Variables: t.at.names, Given: t.at.given}
}

// workAt reads recorded work, in which a secret may be hidden.
func (u *unit) workAt(at int64) (w *Work, hidden bool, err error) {
	data, err := u.store.dataAt(at)
	if err != nil {
		return nil, false, err
	}
	w = &Work{}
	if err := jsonline.Decode(data, w); err != nil {
		return nil, false, fmt.Errorf("the work of %q: %w", u.address(), err)
	}
	return w, journal.Hidden(data), nil
}
