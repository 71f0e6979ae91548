package authority

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// of is the authority of a workflow that stands in a string.
func of(t *testing.T, text string) Authority {
	t.Helper()
	w, found := workflows.Parse("flow.yaml", []byte("name: x\n"+text), workflows.Options{})
	if w == nil {
		t.Fatal(found)
	}
	return Of(w)
}

// TestCompare has two versions of a workflow, and what an update says of them: each
// line is a difference, and those that end with (wider) may do more.
func TestCompare(t *testing.T) {
	const steps = "steps: [{id: a, model: p/m, prompt: x, tools: [read, bash]}]\n"
	for _, tt := range []struct {
		name, old, now string
		wider          bool
		want           string // a part of one line; "" for no difference
	}{
		{"nothing", "steps: [{run: a}]\n", "steps: [{run: a}]\n", false, ""},
		{"a description", steps, "description: y\n" + steps, false, ""},
		{"a command changed", "steps: [{run: a}]\n", "steps: [{run: b}]\n", true, "~ run flow.yaml step-1: b"},
		{"a line below the first", "steps: [{run: \"a\\nb\"}]\n", "steps: [{run: \"a\\nc\"}]\n", true, "~ run flow.yaml step-1: a …"},
		{"a command more", "steps: [{run: a}]\n", "steps: [{run: a}, {run: b}]\n", true, "+ run flow.yaml step-2"},
		{"a command less", "steps: [{run: a}, {run: b}]\n", "steps: [{run: a}]\n", false, "- run flow.yaml step-2"},
		{"a variable more", "steps: [{run: a}]\n", "env: [B]\nsteps: [{run: a}]\n", true, "+ env B"},
		{"a variable less", "env: [B]\nsteps: [{run: a}]\n", "steps: [{run: a}]\n", false, "- env B"},
		{"a secret that is none any more", "secrets: [B]\nsteps: [{run: a}]\n", "env: [B]\nsteps: [{run: a}]\n", true, "+ env B"},
		{"a value for a variable", "steps: [{run: a}]\n", "env: {PATH: ./bin}\nsteps: [{run: a}]\n", true, "+ env flow.yaml PATH: PATH=./bin"},
		{"an allow more", "permissions: {bash: {git log: allow}}\n" + steps, "permissions: {bash: {git log: allow, git diff: allow}}\n" + steps, true, "bash: allow git diff"},
		{"an allow less", "permissions: {bash: {git log: allow, git diff: allow}}\n" + steps, "permissions: {bash: {git log: allow}}\n" + steps, false, "~ tools"},
		{"a deny more", "permissions: {bash: {git log: allow}}\n" + steps, "permissions: {bash: {git log: allow, git push: deny}}\n" + steps, false, "~ tools"},
		{"a deny less", "permissions: {bash: {\"*\": allow, git push: deny}}\n" + steps, "permissions: {bash: {\"*\": allow}}\n" + steps, true, "~ tools"},
		{"an ask less", "permissions: {bash: {\"*\": allow, git push: ask}}\n" + steps, "permissions: {bash: {\"*\": allow}}\n" + steps, true, "~ tools"},
		{"the last allow for reading goes, and the rest is open", "permissions: {read: {\"docs/**\": allow, docs/x: deny}}\n" + steps, "permissions: {read: {docs/x: deny}}\n" + steps, true, "~ tools"},
		{"the first rule for reading denies, and the rest is open", steps, "permissions: {read: {docs/x: deny}}\n" + steps, true, "~ tools"},
		{"a tool more", steps, "steps: [{id: a, model: p/m, prompt: x, tools: [read, bash, write]}]\n", true, "~ tools"},
		{"a tool less", steps, "steps: [{id: a, model: p/m, prompt: x, tools: [read]}]\n", false, "~ tools"},
		{"another model", steps, "steps: [{id: a, model: p/n, prompt: x, tools: [read, bash]}]\n", true, "+ model p/n"},
		{"no sandbox", steps, "sandbox: off\n" + steps, true, "~ file flow.yaml"},
		{"no network any more", steps, "sandbox: {network: none}\n" + steps, true, "~ file flow.yaml"},
		{"a budget that goes", "budget: {cost_usd: 1}\n" + steps, steps, true, "budget none"},
		{"a price that hides the cost", steps, "prices: {p/m: {input: 0, output: 0}}\n" + steps, true, "p/m: 0 in, 0 out"},
		{"a file of the workspace", steps, strings.Replace(steps, "prompt: x", "prompt: \"${{ file('.env') }}\"", 1), true, "reads file('.env')"},
		{"another workspace", steps, "workspace: sub\n" + steps, true, "workspace sub"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := Compare(of(t, tt.old), of(t, tt.now))
			var lines []string
			for _, d := range all {
				lines = append(lines, d.String())
			}
			text := strings.Join(lines, "\n")
			if Wider(all) != tt.wider || !strings.Contains(text, tt.want) || tt.want == "" && text != "" {
				t.Errorf("wider %v, want %v, and %q:\n%s", Wider(all), tt.wider, tt.want, text)
			}
		})
	}
}

// TestHostile has recipes that look harmless. Nothing that one of them can do is
// missing from what is said of it: each line that a file's comments name is there.
func TestHostile(t *testing.T) {
	files, err := filepath.Glob("testdata/hostile/*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			w, found := workflows.Load(file, workflows.Options{ReadFile: os.ReadFile})
			if w == nil {
				t.Fatal(found)
			}
			said := strings.Join(Of(w).Lines(), "\n")
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			wanted := 0
			for line := range strings.Lines(string(data)) {
				want, is := strings.CutPrefix(line, "# says: ")
				if !is {
					continue
				}
				wanted++
				if !strings.Contains(said, strings.TrimSpace(want)) {
					t.Errorf("it does not say %q but\n%s", strings.TrimSpace(want), said)
				}
			}
			if wanted == 0 {
				t.Error("the file names nothing that is to be said")
			}
		})
	}
}
