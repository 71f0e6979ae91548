package record

import "encoding/json"

// A Start is the data of Run: what a run needs to be gone on with, but for the
// workspace and the values of secrets.
type Start struct {
	RunID    string `json:"run_id"`
	Workflow struct {
		Name   string `json:"name"`
		File   string `json:"file"`
		SHA256 string `json:"sha256"`
	} `json:"workflow"`
	Sums        map[string]string `json:"sums,omitempty"` // of what the workflow's file says beside its steps, by key
	Steps       []Step            `json:"steps"`          // all that the workflow may run, in the file's order: those of a group, or of a used workflow, follow on it
	Files       map[string]string `json:"files"`          // all files of the run, to their SHA-256
	Inputs      json.RawMessage   `json:"inputs"`         // an object
	Options     json.RawMessage   `json:"options"`
	Workspace   string            `json:"workspace"`   // as it was given, relative to where flow was started
	Commit      string            `json:"commit"`      // of the workspace, where it is a git repository
	Environment []string          `json:"environment"` // the names of variables that the workflow names and that were set, sorted
}

// A Step is one of a workflow, as results name it.
type Step struct {
	Path  string `json:"path"` // group/inner
	Kind  string `json:"kind"`
	Sum   string `json:"sum,omitempty"`   // of what the file says of it, layout aside
	Agent string `json:"agent,omitempty"` // whose settings it takes, by its name in the workflow
}

// A Warning is the data of Warned.
type Warning struct {
	Message string `json:"message,omitempty"`
	Error   string `json:"error,omitempty"` // the cause
}

// A Question is the data of Asked, where it is about no call.
type Question struct {
	Text    string          `json:"text"`
	Choices []string        `json:"choices,omitempty"`
	Schema  json.RawMessage `json:"schema,omitempty"`
	Default json.RawMessage `json:"default,omitempty"`
	Recipe  string          `json:"recipe,omitempty"` // whose step asks
}

// A Reply is the data of Answered.
type Reply struct {
	Value   json.RawMessage `json:"value,omitempty"`   // of a question
	Allowed bool            `json:"allowed,omitempty"` // of a call
	By      string          `json:"by,omitempty"`      // [ByTime] where nobody has answered in time: Value is the default, none is a failure
}

// ByTime is who answers where nobody else has.
const ByTime = "time"

// A Resumption is the data of Resumed: with what the run is gone on with where that
// is not as before.
type Resumption struct {
	Options json.RawMessage `json:"options,omitempty"`
	Commit  string          `json:"commit,omitempty"`
	Start   *Start          `json:"start,omitempty"` // with Changed: what the run is from here on
}
