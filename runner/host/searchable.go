package host

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/toolname"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

// readable says which files and folders searches may show. Of a folder in the
// workspace the policy has nothing to say: the files in it are judged one by
// one. Any other has to be one that the step's search tools may look into.
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
			input, err := mainInput(tool, path)
			return err == nil && searches(tool) && policy.decide(permission.Call{Tool: tool, Input: input}).Verdict == permission.Allow
		})
	}
}

// writable says where a write may end that a link has led on: a link that is newer
// than the judgement of the call must not lead to what the policy denies. What it
// asks about is left to the answer that was given.
func writable(policy policies) func(path string) bool {
	return func(path string) bool {
		input, err := mainInput("write", path)
		return err == nil && policy.decide(permission.Call{Tool: "write", Input: input}).Verdict != permission.Deny
	}
}

// searches reports whether a tool looks into folders.
func searches(tool string) bool { return tool != "read" && toolname.RuledBy(tool) == "read" }
