package host

import (
	"errors"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// checkScript finds the script of a scripted model.
func (f *preflight) checkScript(named runner.Naming, step *workflows.Step, name string) {
	at, dir := positionOfModel(named, step), named.By.Dir
	if named.At == nil {
		dir = f.Dir
	}
	played, err := f.models.script(paths.In(dir, filepath.FromSlash(name)))
	var mistakes workflows.Diagnostics
	switch {
	case errors.As(err, &mistakes):
		f.found = append(f.found, mistakes...) // sorting leaves each once
	case err != nil && !f.tells(named, name):
	case err != nil:
		f.errorf(at, diagnostic.CodeScript, f.scriptHint(dir, name), "%v", err)
	case len(played.Steps) == 0:
		f.errorf(at, diagnostic.CodeScript, `such as steps: {"*": [{text: Hello.}]}`, "the script %s has no turns", name)
	}
}

// scriptHint says where a script is looked for, or how all workflows of the run play one that
// is in the folder of the first.
func (f *preflight) scriptHint(dir, name string) string {
	if dir != f.Dir && checkRegular(paths.In(f.Dir, filepath.FromSlash(name))) == nil {
		return "paths of scripts start at the folder of the workflow that names them; --model script/" + name + " is one for all"
	}
	return "paths of scripts start at the workflow's folder"
}
