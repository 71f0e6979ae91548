package host

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// TestPoliciesAreShared asks for the tools of many steps: those with the same rules, and uses of one
// workflow, compile them once.
func TestPoliciesAreShared(t *testing.T) {
	rules := func(name string, n int) workflows.Permissions {
		list := make([]workflows.Rule, n)
		for i := range list {
			list[i] = workflows.Rule{Pattern: fmt.Sprint(name, i), Decision: "allow"}
		}
		return workflows.Permissions{"write": list}
	}
	w := &workflows.Workflow{File: "w.yaml", Permissions: rules("file", 200)}
	used := &workflows.Workflow{File: "used.yaml"}
	asked := newDeniedTools(&Loaded{Workflow: w})
	ask := func(of *workflows.Workflow, own workflows.Permissions, want string) {
		t.Helper()
		if got := strings.Join(asked.of(of, runner.Layer{Workflow: w, Step: own}, []string{"write", "bash"}), " "); got != want {
			t.Fatalf("denied %q, want %q, with %d rules compiled", got, want, asked.compiled)
		}
	}
	for range 1000 {
		ask(w, nil, "bash")
		ask(used, nil, "bash")
		ask(w, rules("own", 10), "bash")
	}
	if len(asked.policies) != 2 || asked.compiled != 200+210 {
		t.Errorf("%d policies of %d rules, want 2 of 410", len(asked.policies), asked.compiled)
	}
	for i := range 100 { // each with its own
		ask(w, rules(fmt.Sprint("step", i, "_"), 100), "bash")
	}
	for i := range 1000 {
		asked.of(w, runner.Layer{Workflow: w, Step: rules(fmt.Sprint("more", i, "_"), 100)}, []string{"bash"})
	}
	if asked.compiled > maxCompiled {
		t.Errorf("%d rules compiled, want at most %d", asked.compiled, maxCompiled)
	}
	ask(w, rules("too many", 300), "")
	ask(w, nil, "bash")
}

// TestLoadManyRules loads workflows whose steps times rules are millions.
func TestLoadManyRules(t *testing.T) {
	dir := t.TempDir()
	var rules strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&rules, "    a%d: %s\n", i, []string{"allow", "deny"}[i%2])
	}
	top := "name: x\nmodel: openai/x\npermissions:\n  write:\n" + rules.String() + "steps:\n"
	write(t, filepath.Join(dir, "sub.yaml"), "name: sub\nmodel: openai/x\npermissions: {write: allow}\nsteps:\n  - {prompt: x, tools: [write]}\n")
	for name, steps := range map[string]string{
		"alias": "  - &s {prompt: x, tools: [write]}\n" + strings.Repeat("  - *s\n", 999),
		"uses":  strings.Repeat("  - uses: sub.yaml\n", 1000),
	} {
		file := filepath.Join(dir, name+".yaml")
		write(t, file, top+steps)
		if w, found := Load(file, LoadOptions{}); w == nil {
			t.Errorf("%s: %v", name, found)
		}
	}
	var own strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&own, "  - {prompt: x, tools: [write], permissions: {write: {b%d: allow}}}\n", i)
	}
	file := filepath.Join(dir, "own.yaml")
	write(t, file, top+own.String())
	if w, found := Load(file, LoadOptions{}); w == nil {
		t.Errorf("own: %v", found)
	}
}

// TestRulesAreCheckedForEachTool loads rules that one tool can't have and another can.
func TestRulesAreCheckedForEachTool(t *testing.T) {
	file := filepath.Join(t.TempDir(), "flow.yaml")
	for _, keys := range []string{"write: &r {'~x/a|b &&': allow}, bash: *r", "bash: &r {'~x/a|b &&': allow}, write: *r"} {
		write(t, file, "name: x\nmodel: openai/x\npermissions: {"+keys+"}\nsteps: [{prompt: x, tools: [write, bash]}]\n")
		if w, found := Load(file, LoadOptions{}); w != nil {
			t.Errorf("%s: no error in %v", keys, found)
		}
	}
}
