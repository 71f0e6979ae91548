package host

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

// warnOfPath warns of folders in PATH to which the rules of a step let a model write: a program
// that it puts there runs under the name, and with the rights, of another, also in commands of
// the workflow's author.
func (b *toolboxes) warnOfPath(scope runner.ToolScope, ruled policies) {
	if !slices.ContainsFunc([]string{"write", "edit", toolBash}, func(tool string) bool { return slices.Contains(scope.Tools, tool) }) {
		return
	}
	for _, folder := range filepath.SplitList(searchPath(scope.Environment)) {
		program := filepath.Join(paths.In(scope.Workspace, folder), "program")
		if ruled.about("write", program).Verdict != permission.Deny {
			b.warnOnce(fmt.Sprintf("PATH has %q, where the rules for writing let a model put a program that then runs in place of another", folder))
		}
	}
}

// searchPath returns the PATH of an environment.
func searchPath(env []string) string {
	for _, variable := range env {
		if list, ok := strings.CutPrefix(variable, "PATH="); ok {
			return list
		}
	}
	return ""
}
