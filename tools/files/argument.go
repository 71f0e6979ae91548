package files

import (
	"encoding/json"
	"fmt"

	"github.com/a-seed-11b9befa/flow/tools"
)

// parse decodes arguments that fit the tool's schema.
func parse[T any](arguments json.RawMessage) (T, error) {
	var t T
	if err := json.Unmarshal(arguments, &t); err != nil {
		return t, fmt.Errorf("arguments: %w", err)
	}
	return t, nil
}

// fail is how a call ends that could not do what it was asked for.
func fail(err error) (tools.Result, error) {
	return tools.Result{Failed: true, Note: err.Error()}, nil
}

// target is the argument that says what a call touches: a file, or a folder.
type target struct {
	FilePath string `json:"filePath"`
	Path     string `json:"path"`
}

// touched returns the place that a call's arguments name. Links are resolved, so
// that two names of one file are one place.
func (w *Workspace) touched(arguments json.RawMessage) []string {
	t, err := parse[target](arguments)
	if err != nil {
		return []string{w.path}
	}
	path := t.FilePath
	if path == "" {
		path = t.Path
	}
	if path == "" {
		path = "."
	}
	_, real, err := w.resolve(path)
	if err != nil {
		return nil // the call fails before it touches anything
	}
	return []string{real}
}
