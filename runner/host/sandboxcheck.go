package host

import (
	"fmt"
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// raiseSandboxes has every workflow require the sandbox that the environment demands. One that asks
// for less is a mistake, unless it is a recipe's, whose word on that never counts.
func (l *Loaded) raiseSandboxes(f *findings) {
	least := l.env.Sandbox
	if least == "" {
		return
	}
	for _, w := range l.all {
		s, less := &w.Sandbox, ""
		switch {
		case s.Off:
			less = "off"
		case s.Landlock && least == workflows.LevelHeld:
			less = "landlock"
		}
		if less != "" && !l.foreign[w] {
			f.add(workflows.Position{File: w.Shown, Line: 1, Column: 1}, workflows.SeverityError, diagnostic.CodeSandbox,
				fmt.Sprintf("the workflow has the sandbox %s, and the run demands %s", less, least), "no file lowers what the run demands: remove it, or run without --sandbox")
		}
		s.Off, s.Landlock = false, s.Landlock && least == workflows.LevelLandlock
		if s.Required != workflows.LevelHeld {
			s.Required = least
		}
	}
}

// checkSandbox reports that commands would run without the sandbox that their workflow has by
// default, or that it requires.
func (l *Loaded) checkSandbox(f *findings) {
	if !slices.ContainsFunc(l.all, func(w *workflows.Workflow) bool {
		return w.Sandbox.Required != "" || runsCommands(w) || heldAt(w) != nil
	}) {
		return // finding out what the system has takes longer than all else
	}
	unheld, missing := held.Available(), shell.Sandboxes()
	if unheld == nil {
		return
	}
	for _, w := range l.all {
		at := workflows.Position{File: w.Shown, Line: 1, Column: 1}
		switch asked := heldAt(w); {
		case w.Sandbox.Required == workflows.LevelHeld:
			f.add(at, workflows.SeverityError, diagnostic.CodeSandbox, "the workflow requires held commands: "+unheld.Error(),
				"sandbox: {required: landlock} accepts a weaker sandbox, if the kernel has it")
		case w.Sandbox.Required == workflows.LevelLandlock && missing != nil:
			f.add(at, workflows.SeverityError, diagnostic.CodeSandbox, "the workflow requires a sandbox for commands: "+missing.Error(), "")
		case (!w.Sandbox.Off || l.foreign[w]) && missing != nil && runsCommands(w):
			f.add(at, workflows.SeverityWarning, diagnostic.CodeSandbox,
				"models' commands run without a sandbox here: "+missing.Error(), "only the permission rules limit them; to accept that: sandbox: off")
		case asked != nil:
			f.add(*asked, workflows.SeverityWarning, diagnostic.CodeSandbox,
				"commands can't be held here, so held: true has no effect: "+unheld.Error(), "to refuse to run in that case: sandbox: required")
		default:
			continue
		}
		return
	}
}

// heldAt returns where a workflow says that a command of its author is held; nil if it says so
// nowhere.
func heldAt(w *workflows.Workflow) *workflows.Position {
	for _, step := range workflows.Leaves(w.Steps) {
		if step.Command != nil && step.Command.Held {
			return &step.Pos
		}
		if step.Agent == nil {
			continue
		}
		for _, check := range step.Agent.Checks {
			if check.Held != nil && *check.Held {
				return &check.Pos
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.CustomTools)) {
		if tool := w.CustomTools[name]; tool.Held {
			return &tool.Pos
		}
	}
	return nil
}

// runsCommands reports whether a step lists bash, or calls it.
func runsCommands(w *workflows.Workflow) bool {
	return slices.ContainsFunc(workflows.Leaves(w.Steps), func(step *workflows.Step) bool {
		return slices.Contains(step.ToolNames(), toolBash)
	})
}

// checkServers refuses servers that are not held where their workflow, or one that uses it, requires
// that commands are.
func (l *Loaded) checkServers(f *findings) {
	for _, w := range l.all {
		if w.Sandbox.Required != workflows.LevelHeld {
			continue
		}
		for _, used := range w.Used() {
			if l.foreign[used] {
				continue // its servers are confined in any case
			}
			for _, server := range freeServers(used) {
				by := "the workflow"
				if used != w {
					by = w.Shown
				}
				f.add(server.Pos, workflows.SeverityError, diagnostic.CodeSandbox,
					fmt.Sprintf("%s requires that commands are held, and the MCP server %q is not", by, server.Name), hintHeldServer)
			}
		}
	}
}

// hintHeldServer says what can be done about a server that nothing confines.
const hintHeldServer = "with held: true a server changes only the folders that the write rules at the top of its file name"

// freeServers returns the servers of a workflow that are programs and not held, in the order of
// their names.
func freeServers(w *workflows.Workflow) (free []*workflows.Server) {
	for _, name := range slices.Sorted(maps.Keys(w.MCP)) {
		if s := w.MCP[name]; s.URL == nil && !s.Held {
			free = append(free, s)
		}
	}
	return free
}
