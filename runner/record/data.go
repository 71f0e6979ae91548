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
	Files       map[string]string          `json:"files"`  // all files of the run, to their SHA-256
	Inputs      json.RawMessage            `json:"inputs"` // an object
	Options     json.RawMessage            `json:"options"`
	Workspace   string                     `json:"workspace"`   // as it was given, relative to where flow was started
	Commit      string                     `json:"commit"`      // of the workspace, where it is a git repository
	Environment map[string]json.RawMessage `json:"environment"` // what it gave, masked; null where a variable was not set
}

// A Message is the data of Said.
type Message struct {
	Turn      int             `json:"turn"`                // of the model, from 1; 0 before the first
	Model     string          `json:"model,omitempty"`     // that said it, where one did
	Message   json.RawMessage `json:"message"`             // as transcripts have it
	Usage     json.RawMessage `json:"usage,omitempty"`     // what the request used
	Withdrawn int             `json:"withdrawn,omitempty"` // how many messages before it no longer count
}

// A Call is the data of Called: what a call is about to do.
type Call struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Writes    bool            `json:"writes,omitempty"` // it may change something
	Rule      string          `json:"rule,omitempty"`   // that allowed it
}

// An AnsweredCall is the data of Answer.
type AnsweredCall struct {
	Status  string `json:"status"`
	Content string `json:"content"`
	Whole   string `json:"whole,omitempty"` // where all of a truncated output is: outputs/3-bash.txt
	Rule    string `json:"rule,omitempty"`  // that denied it
}

// A Question is the data of Asked.
type Question struct {
	Text    string          `json:"text"`
	Choices []string        `json:"choices,omitempty"`
	Schema  json.RawMessage `json:"schema,omitempty"`
	Default json.RawMessage `json:"default,omitempty"`
}

// A Resumption is the data of Resumed: with what the run is gone on with where that
// is not as before.
type Resumption struct {
	Options json.RawMessage `json:"options,omitempty"`
	Commit  string          `json:"commit,omitempty"`
}
