package host

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/internal/repository"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/tools/shell"
)

// keeperOf returns what undoes forbidden changes if commands are not held: of git's
// configuration, of the files of the run's workflows, and of the records of runs that have
// ended. A running program protects its own records.
func keeperOf(scope runner.ToolScope, protected []string) *shell.Keeper {
	root, err := filepath.EvalSymlinks(scope.Workspace)
	if err != nil {
		return nil
	}
	var git []string
	if found, ok := repository.Around(root); ok {
		git = folder.Outermost([]string{filepath.Join(found.Top, ".git"), found.Git, found.Common})
	}
	return &shell.Keeper{Root: root, Git: git, Files: func() []string {
		return append(slices.Clone(protected), endedRuns(filepath.Join(root, RunsFolder), scope.Run)...)
	}}
}

// unchanging returns the protected files of a workspace that nobody writes during the run.
func (b *toolboxes) unchanging(ws *workspace) []string {
	return slices.DeleteFunc(slices.Clone(ws.protected), func(path string) bool { return slices.Contains(b.growing, path) })
}

// endedRuns returns the folders of runs in which no process works, except own.
func endedRuns(dir, own string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // there are none
	}
	var all []string
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if path == own {
			continue
		}
		run, err := journal.OpenReader(path)
		if err != nil {
			continue
		}
		if !run.Busy() {
			all = append(all, path)
		}
		run.Close()
	}
	return all
}
