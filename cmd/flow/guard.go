package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/toolname"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A guard has the calls of a step judged by its policies.
type guard struct{ policies }

// Decide judges one call.
func (g guard) Decide(_ context.Context, tool string, arguments json.RawMessage) tools.Decision {
	d := g.decide(permission.Call{Tool: tool, Input: arguments})
	return tools.Decision{Verdict: verdictOf(d.Verdict), Rule: d.Rule, Reason: d.Reason}
}

// Offered reports whether a model is shown the tool.
func (g guard) Offered(tool string) bool {
	return g.all(func(p *permission.Policy) bool { return p.Offered(tool) })
}

// verdictOf fails closed: what it does not know is a denial.
func verdictOf(v permission.Verdict) tools.Verdict {
	switch v {
	case permission.Allow:
		return tools.Allow
	case permission.Ask:
		return tools.Ask
	}
	return tools.Deny
}

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

// home is the folder that ~ stands for, "" where it is not known.
func (p *program) home() string {
	if home := p.env("HOME"); filepath.IsAbs(home) {
		return home
	}
	return ""
}

// rulesOf keeps a key without rules, which denies its tool.
func rulesOf(given workflows.Permissions) (permission.Rules, error) {
	rules := permission.Rules{}
	for key, list := range given {
		rules[key] = []permission.Rule{}
		for _, r := range list {
			verdict, err := permission.ParseVerdict(r.Decision)
			if err != nil {
				return nil, configuration("", "%s: %v", r.Pos, err)
			}
			rules[key] = append(rules[key], permission.Rule{Pattern: r.Pattern, Verdict: verdict})
		}
	}
	return rules, nil
}

// customNames are the tools that are allowed where no rule names them.
func customNames(w *workflows.Workflow) []string {
	var names []string
	for name := range w.CustomTools {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// protectedFiles are the files that a workflow is made of.
func protectedFiles(w *workflows.Workflow) []string {
	var files []string
	for _, w := range used(w) {
		path, err := filepath.Abs(w.File)
		if err != nil {
			path = w.File
		}
		files = append(files, path)
		if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
			files = append(files, real)
		}
	}
	return files
}

// startFolder is where flow was started.
func startFolder() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", usage("change to a folder that exists", "the current folder can't be named: %v", err)
	}
	return dir, nil
}
