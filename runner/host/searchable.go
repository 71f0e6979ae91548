package host

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/toolname"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

// readable returns which files and folders searches may show. A folder in the workspace is
// always shown, since its files are judged one by one; any other has to be one in which the
// step's search tools may look.
func readable(policy policies, scope runner.ToolScope) func(path string) bool {
	root, err := filepath.EvalSymlinks(scope.Workspace)
	if err != nil {
		root = scope.Workspace
	}
	return func(path string) bool {
		if policy.readable(path) {
			return true
		}
		if info, err := os.Lstat(path); err != nil || !info.IsDir() {
			return false
		}
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return true
		}
		return slices.ContainsFunc(scope.Tools, func(tool string) bool {
			return searches(tool) && policy.about(tool, path).Verdict == permission.Allow
		})
	}
}

// writable returns where a write may end that followed a link: a link that was made after the
// call was judged must not lead to what the policy denies. For a path whose rule is ask, the
// answer that was given counts.
func writable(policy policies) func(path string) bool {
	return func(path string) bool { return policy.about("write", path).Verdict != permission.Deny }
}

// searches reports whether a tool searches folders.
func searches(tool string) bool { return tool != "read" && toolname.RuledBy(tool) == "read" }
