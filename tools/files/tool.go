package files

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/a-seed-11b9befa/flow/tools"
)

// A fileTool is one of the tools: what a model is told of it, and what it does with
// arguments of its own.
type fileTool[Arguments any] struct {
	w                         *Workspace
	purpose                   purpose
	name, description, schema string

	run func(ctx context.Context, a Arguments, out *tools.Output) (tools.Result, error)
}

// Spec says what a model is told.
func (t fileTool[Arguments]) Spec() tools.Spec {
	return tools.Spec{
		Name: t.name, Description: t.description, Parameters: json.RawMessage(t.schema),
		Keep: tools.KeepHead,
	}
}

// Effects are on the one place that the arguments name.
func (t fileTool[Arguments]) Effects(arguments json.RawMessage) tools.Effects {
	if t.purpose == writing {
		return tools.Effects{Writes: t.w.touched(arguments)}
	}
	return tools.Effects{Reads: t.w.touched(arguments)}
}

// Run runs it with arguments that fit its schema.
func (t fileTool[Arguments]) Run(ctx context.Context, arguments json.RawMessage, out *tools.Output) (tools.Result, error) {
	a, err := parse[Arguments](arguments)
	if err != nil {
		return fail(err)
	}
	return t.run(ctx, a, out)
}

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
