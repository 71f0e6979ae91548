package files

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/a-seed-11b9befa/flow/tools"
)

// specFile has what models are told of the tools: a list of [tools.Spec].
//
//go:embed tools.json
var specFile []byte

var specs = sync.OnceValue(func() map[string]tools.Spec {
	var list []tools.Spec
	if err := json.Unmarshal(specFile, &list); err != nil {
		panic(err)
	}
	byName := map[string]tools.Spec{}
	for _, spec := range list {
		byName[spec.Name] = spec
	}
	return byName
})

// fileTool is one of the tools, with its type of arguments.
type fileTool[Arguments any] struct {
	w       *Workspace
	purpose purpose
	spec    tools.Spec

	run func(ctx context.Context, a Arguments, out *tools.Output) (tools.Result, error)
}

// Tools returns read, write, edit, list, glob and grep.
func (w *Workspace) Tools() []tools.Tool {
	spec := specs()
	return []tools.Tool{
		fileTool[readArguments]{w, reading, spec["read"], w.read},
		fileTool[writeArguments]{w, writing, spec["write"], w.write},
		fileTool[editArguments]{w, writing, spec["edit"], w.edit},
		fileTool[listArguments]{w, reading, spec["list"], w.list},
		fileTool[globArguments]{w, reading, spec["glob"], w.glob},
		fileTool[grepArguments]{w, reading, spec["grep"], w.grep},
	}
}

// Spec describes the tool to a model.
func (t fileTool[Arguments]) Spec() tools.Spec { return t.spec }

// Effects returns the path that the arguments name.
func (t fileTool[Arguments]) Effects(arguments json.RawMessage) tools.Effects {
	if t.purpose == writing {
		return tools.Effects{Writes: t.w.touched(arguments)}
	}
	return tools.Effects{Reads: t.w.touched(arguments)}
}

// Run runs the tool with arguments that are valid by its schema.
func (t fileTool[Arguments]) Run(ctx context.Context, arguments json.RawMessage, out *tools.Output) (tools.Result, error) {
	a, err := parse[Arguments](arguments)
	if err != nil {
		return tools.Fail(err)
	}
	return t.run(ctx, a, out)
}

// parse decodes arguments that are valid by the tool's schema.
func parse[T any](arguments json.RawMessage) (T, error) {
	var t T
	if err := json.Unmarshal(arguments, &t); err != nil {
		return t, fmt.Errorf("arguments: %w", err)
	}
	return t, nil
}

// target is the argument that names the file or the folder of a call.
type target struct {
	FilePath string `json:"filePath"`
	Path     string `json:"path"`
}

// touched returns the path that a call's arguments name, with symlinks resolved, so that
// one file has one path.
func (w *Workspace) touched(arguments json.RawMessage) []string {
	t, err := parse[target](arguments)
	if err != nil {
		return []string{w.path}
	}
	_, real, err := w.resolve(cmp.Or(t.FilePath, t.Path, "."))
	if err != nil {
		return nil // the call fails before it touches anything
	}
	return []string{real}
}
