package host

import (
	"fmt"
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/shell/held"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// checkServers refuses servers that are not held where their workflow, or one that uses it, requires
// that commands are.
func (l *Loaded) checkServers() workflows.Diagnostics {
	var f findings
	foreign := l.foreign()
	for _, w := range l.all {
		if w.Sandbox.Required != workflows.LevelHeld {
			continue
		}
		for _, used := range w.Used() {
			if foreign[used] {
				continue // its servers are confined in any case
			}
			for _, server := range freeServers(used) {
				by := "the workflow"
				if used != w {
					by = w.Shown
				}
				f.add(server.Pos, workflows.SeverityError, diagnostic.CodeSandbox,
					fmt.Sprintf("%s requires that commands are held, and the MCP server %q is not", by, server.Name),
					"with held: true below its command it changes only the folders that the write rules at the top of the file name")
			}
		}
	}
	return f.found
}

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

// FreeServers returns the names of the MCP servers, by the files that have them, which may change
// whatever this user may, although commands of models in the same file are held. Files from
// elsewhere have none.
func (l *Loaded) FreeServers() map[string][]string {
	free := map[string][]string{}
	foreign := l.foreign()
	for _, w := range l.all {
		if foreign[w] || w.Sandbox.Off || w.Sandbox.Landlock || held.Available() != nil {
			continue
		}
		for _, server := range freeServers(w) {
			free[w.Shown] = append(free[w.Shown], server.Name)
		}
	}
	return free
}
