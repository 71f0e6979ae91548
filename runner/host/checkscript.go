package host

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// A playedCall is a call in a script, and the tools of the steps that it is played to.
type playedCall struct {
	tool    string
	at      workflows.Position
	steps   []string
	offered []string
}

// checkScript finds the script of a scripted model, and the step's turns
// in it.
func (f *preflight) checkScript(w *workflows.Workflow, named runner.Naming, step *workflows.Step, name string) {
	at, dir := positionOfModel(named, step), named.By.Dir
	if named.At == nil {
		dir = f.Dir
	}
	played, err := f.models.script(paths.In(dir, filepath.FromSlash(name)))
	switch {
	case err != nil:
		f.errorf(at, diagnostic.CodeScript, f.scriptHint(dir, name), "%v", err)
	case len(played.Steps) == 0:
		f.errorf(at, diagnostic.CodeScript, `such as steps: {"*": [{text: Hello.}]}`, "the script %s has no turns", name)
	default:
		f.checkTurns(w, played, step, name)
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

// checkTurns looks for the turns of a step, and keeps the calls in them.
func (f *preflight) checkTurns(w *workflows.Workflow, played *workflows.ScriptedModel, step *workflows.Step, name string) {
	found := false
	for of, turns := range played.Steps {
		if !isPlayedTo(of, step.Path) {
			continue
		}
		found = true
		for _, turn := range turns {
			f.keepCalls(turn, step)
		}
	}
	if !found && w == f.Workflow {
		f.add(step.Pos, workflows.SeverityWarning, diagnostic.CodeScript,
			fmt.Sprintf("the script %s has no turns for step %q, which fails when it is asked", name, step.Path), "")
	}
}

// isPlayedTo reports whether the turns that a script has under a name are for a step, or for
// one of its elements, rounds or attempts.
func isPlayedTo(name, path string) bool {
	last := path[strings.LastIndexByte(path, '/')+1:]
	own, _, _ := strings.Cut(name, "@")
	return own == path || own == last || own == "*" || strings.HasPrefix(own, path+"/") || strings.HasPrefix(own, last+"/")
}

// keepCalls keeps the calls of a turn that is played to a step.
func (f *preflight) keepCalls(turn *workflows.ScriptedTurn, step *workflows.Step) {
	names, positions := turn.Tools()
	for i, tool := range names {
		at := slices.IndexFunc(f.calls, func(c *playedCall) bool { return c.at == positions[i] })
		if at < 0 {
			at = len(f.calls)
			f.calls = append(f.calls, &playedCall{tool: tool, at: positions[i]})
		}
		call := f.calls[at]
		call.steps, call.offered = append(call.steps, step.Path), append(call.offered, step.ToolNames()...)
	}
}

// checkCalls warns of calls in scripts of tools that no step offers to which they are played.
func (f *preflight) checkCalls() {
	for _, call := range f.calls {
		if slices.ContainsFunc(call.offered, func(entry string) bool { return lists(entry, call.tool) }) {
			continue
		}
		f.add(call.at, workflows.SeverityWarning, diagnostic.CodeScript,
			fmt.Sprintf("the script calls %q, which step %q does not offer: the call fails", call.tool, call.steps[0]), offeredHint(call.tool, call.offered))
	}
}

// offeredHint says which tool was meant, or how a step offers it.
func offeredHint(tool string, offered []string) string {
	all := append(slices.Compact(slices.Sorted(slices.Values(offered))), tool)
	return nearest.Hint(tool, offered, fmt.Sprintf("the step offers what it lists: tools: [%s]", strings.Join(all, ", ")))
}
