package journal

import (
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/tools"
)

// A Start is the data of Run: everything that a resume of the run needs, except the
// workspace and the values of secrets.
type Start struct {
	RunID       string            `json:"run_id"`
	Workflow    WorkflowRef       `json:"workflow"`
	Sums        map[string]string `json:"sums,omitempty"` // of what the workflow's file says beside its steps, by key
	Steps       []Step            `json:"steps"`          // all steps that may run, in the file's order; those of a group, or of a used workflow, come right after its step
	Files       map[string]string `json:"files"`          // the SHA-256 of all files of the run
	Inputs      json.RawMessage   `json:"inputs"`         // an object
	Options     json.RawMessage   `json:"options"`
	Workspace   string            `json:"workspace"`        // as it was given, relative to the folder in which flow was started
	Commit      string            `json:"commit"`           // of the workspace, if it is a git repository
	Environment []string          `json:"environment"`      // the names, sorted, of those variables that the workflow names and that were set
	Budget      *tools.Amount     `json:"budget,omitempty"` // what the run may use as the workflow and the options say; zero: any amount
}

// A WorkflowRef identifies the workflow that ran, by its content.
type WorkflowRef struct {
	Name   string `json:"name"`
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// A Step is a step of a workflow, under the name that it has in results.
type Step struct {
	Path  string   `json:"path"` // group/inner
	Kind  string   `json:"kind"`
	Sum   string   `json:"sum,omitempty"`   // a digest of its part of the file, without the layout
	Agent string   `json:"agent,omitempty"` // the name of the agent whose settings it takes
	Needs []string `json:"needs,omitempty"` // the names of the steps beside it for which it waits
}

// A Warning is the data of Warned.
type Warning struct {
	Message string `json:"message,omitempty"`
	Error   string `json:"error,omitempty"` // the cause
}

// A Question is the data of Asked, unless that is about a call, and the work of a step that
// asks.
type Question struct {
	Text    string          `json:"text"`
	Choices []string        `json:"choices,omitempty"`
	Schema  json.RawMessage `json:"schema,omitempty"`
	Default json.RawMessage `json:"default,omitempty"`
	Comment bool            `json:"comment,omitempty"` // a line of text may come with the answer
	Recipe  string          `json:"recipe,omitempty"`  // the recipe of the step that asks
}

// A Reply is the data of Answered.
type Reply struct {
	Value   json.RawMessage `json:"value,omitempty"`   // the answer to a question
	Comment string          `json:"comment,omitempty"` // what came with the answer to a question, masked
	Allowed bool            `json:"allowed,omitempty"` // whether a call may run
	Reason  string          `json:"reason,omitempty"`  // why it may not, for the model, masked
	By      string          `json:"by,omitempty"`      // [ByTime] if nobody has answered in time: Value is the default; without one the step fails
}

// ByTime is the value of By if the time for an answer was up.
const ByTime = "time"

// A Resumption is the data of Resumed: what is different from now on.
type Resumption struct {
	Options json.RawMessage `json:"options,omitempty"`
	Commit  string          `json:"commit,omitempty"`
	Start   *Start          `json:"start,omitempty"` // with Changed: the description of the run from now on
}

// A List is the data of Decided about Elements. What is left out comes first.
type List struct {
	LeftOut []Range `json:"left_out,omitempty"` // of the indexes of elements that never begin, in order
	Items   []any   `json:"items"`
}

// A Range is the first and the last of some indexes.
type Range [2]int

// Ranges returns the ranges of sorted indexes.
func Ranges(indexes []int) (all []Range) {
	for _, i := range indexes {
		if last := len(all) - 1; last >= 0 && all[last][1] == i-1 {
			all[last][1] = i
		} else {
			all = append(all, Range{i, i})
		}
	}
	return all
}
