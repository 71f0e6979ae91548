package workflows

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// everything loads the file that has every key of the format.
func everything(t *testing.T) *Workflow {
	t.Helper()
	w, ds := Load("everything.yaml", in("testdata/ok"))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	return w
}

func TestHead(t *testing.T) {
	w := everything(t)
	if w.Name != "everything" || w.Version != "1.2" || w.File != "everything.yaml" || w.Dir != "." || len(w.SHA256) != 64 {
		t.Errorf("head: %q %q %q %q %q", w.Name, w.Version, w.File, w.Dir, w.SHA256)
	}
	check(t, "models", w.Models, map[string][]string{"fast": {"openai/gpt-5-mini"}, "strong": {"anthropic/claude-sonnet-4-5", "vllm/big"}})
	check(t, "providers", w.Providers, map[string]Endpoint{"vllm": {
		API: "openai-chat", BaseURL: "http://localhost:8000/v1", APIKeyEnv: "VLLM_KEY", Headers: map[string]string{"x-team": "docs"}, Body: []byte(`{"stream_options":null,"top_k":20}`), StructuredOutput: new(bool), ReasoningContent: new(true), MaxConcurrent: 8, RequestsPerMinute: 60, TokensPerMinute: 100_000,
		Context: 32_000, Models: w.Providers["vllm"].Models, // which TestOwnKnownModels reads
	}})
	check(t, "env", w.Env, Variables{Names: []string{"FLOW_MODEL", "TOKEN"}})
	check(t, "secrets", w.Secrets, []string{"TOKEN"})
	check(t, "budget", w.Budget, Budget{CostUSD: 2, Tokens: 2_000_000, Time: time.Hour})
	if p := w.Prices["vllm/big"]; p.Input != 1 || p.Output != 2.5 || *p.CachedInput != 0 || *p.CacheWrite != 1.25 {
		t.Errorf("price: %+v", p)
	}
	if s := w.MCP["github"]; !s.Required || !s.Held || s.StartupTimeout != 5*time.Second || s.Timeout != 10*time.Second || len(s.Command) != 2 || s.Env["TOKEN"] == nil {
		t.Errorf("server: %+v", s)
	}
	if s := w.MCP["web"]; s.Required || s.Held || s.StartupTimeout != 30*time.Second || s.Timeout != time.Minute || s.URL == nil {
		t.Errorf("server: %+v", s)
	}
	if tool := w.CustomTools["show"]; tool.Name != "show" || len(tool.Args) != 3 || tool.Script != nil || tool.Parameters == nil {
		t.Errorf("tool: %+v", tool)
	}
	if tool := w.CustomTools["shell"]; tool.Args != nil || tool.Script == nil {
		t.Errorf("tool: %+v", tool)
	}
	check(t, "rules", w.Permissions["read"], []Rule{{Pattern: "secret/**", Decision: "deny"}})
	var names []string
	for _, in := range w.Inputs {
		names = append(names, in.Name)
	}
	check(t, "inputs", names, []string{"root", "files", "options"})
}

// check compares, but for positions and what is not exported.
func check(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Rule{}, "Pos"), cmpopts.IgnoreUnexported(Rule{})); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// TestDefaultsAreMerged looks at a step that has some keys of its own.
func TestDefaultsAreMerged(t *testing.T) {
	w := everything(t)
	each, inner := w.Steps[1], w.Steps[4].Group.Steps[1]
	a, b := each.Agent, inner.Agent

	stop := func(s Stop) Stop { s.When = nil; return s }
	check(t, "own stop", stop(a.Stop), Stop{MaxTurns: 3, MaxToolCalls: 9, MaxTokens: 100_000, MaxCostUSD: 1, Timeout: 10 * time.Minute, OnTool: []string{"show"}, RepeatedCalls: 4, AcceptLimit: true})
	check(t, "stop", stop(b.Stop), Stop{MaxTurns: 30, MaxToolCalls: 9, MaxTokens: 100_000, MaxCostUSD: 1, Timeout: 10 * time.Minute, OnTool: []string{"show"}, RepeatedCalls: 4, AcceptLimit: true})
	if a.Stop.When.Source() == b.Stop.When.Source() {
		t.Error("the step's own when is not used")
	}
	check(t, "own truncate", each.Truncate, Truncate{Lines: 50, Bytes: 10_000, LineChars: 200, Keep: "both"})
	check(t, "truncate of a command", w.Steps[0].Truncate, Truncate{Lines: 100, Bytes: 10_000, LineChars: 200, Keep: "tail"})
	check(t, "own retry", each.Retry, Retry{MaxAttempts: 3, Backoff: 100 * time.Millisecond, MaxBackoff: 5 * time.Second})
	check(t, "retry", inner.Retry, Retry{MaxAttempts: 2, Backoff: 100 * time.Millisecond, MaxBackoff: 5 * time.Second})
	if a.Params.ReasoningEffort != "" || a.Params.ReasoningBudget != 1000 || *a.Params.Temperature != 0.2 {
		t.Errorf("own params: %+v", a.Params)
	}
	if b.Params.ReasoningEffort != "low" || b.Params.MaxOutputTokens != 4000 || *b.Params.Seed != 7 {
		t.Errorf("params: %+v", b.Params)
	}
	if a.System.Source() != "Short." || b.System.Source() != "You work on ${{ workflow.name }}." || len(b.Instructions) != 1 {
		t.Errorf("system: %q %q %d", a.System.Source(), b.System.Source(), len(b.Instructions))
	}
	if len(a.Tools) != 3 || len(b.Tools) != 3 || b.Tools[1].Parallel != "never" || b.Tools[1].Truncate.Lines != 10 || b.Tools[1].Truncate.Bytes != 10_000 || b.Tools[0].Parallel != "auto" {
		t.Errorf("tools: %+v %+v", a.Tools, b.Tools)
	}
	if model, _ := a.Model.Static(); model != "strong" {
		t.Errorf("model: %v", model)
	}
	if each.Permissions["read"] != nil || len(each.Permissions["write"]) != 1 || !a.FailOnDenied || a.MaxFixes != 1 || len(a.Checks) != 2 || a.Checks[0].Script == nil || a.Checks[1].Expr == nil {
		t.Errorf("own: %+v", a)
	}
}

func TestSteps(t *testing.T) {
	w := everything(t)
	got := map[string]string{}
	var list func(steps []*Step)
	list = func(steps []*Step) {
		for _, s := range steps {
			got[s.Path] = fmt.Sprintf("%s needs %v timeout %v output %s as %s parallel %d", s.Kind, s.Needs, s.Timeout, s.Output.Kind, s.As, s.MaxParallel)
			if s.Group != nil {
				list(s.Group.Steps)
			}
		}
	}
	list(w.Steps)
	check(t, "steps", got, map[string]string{
		"publish":      "ask needs [1] timeout 24h0m0s output text as item parallel 4",
		"count":        "ask needs [1] timeout 0s output schema as item parallel 4",
		"list":         "run needs [] timeout 30s output lines as item parallel 4",
		"each":         "prompt needs [0] timeout 20m0s output schema as name parallel 2",
		"excerpt":      "tool needs [0] timeout 10m0s output text as item parallel 4",
		"sub":          "uses needs [] timeout 0s output text as item parallel 4",
		"polish":       "steps needs [1 2 3] timeout 0s output text as item parallel 4",
		"polish/count": "run needs [] timeout 10m0s output json as item parallel 4",
		"polish/inner": "prompt needs [0] timeout 20m0s output text as item parallel 4",
	})
	if w.Steps[3].Use.Workflow.Name != "leaf" || w.Steps[4].Group.MaxRounds != 6 || w.Steps[4].Group.Until == nil || w.Steps[1].OnError != OnErrorContinue || w.Steps[1].MaxFailures.String() != "10%" {
		t.Errorf("parts: %+v %+v", w.Steps[3].Use, w.Steps[4].Group)
	}
	if prompt := w.Steps[4].Group.Steps[1].Agent.Prompt; !strings.HasPrefix(prompt.Source(), "# Task") || prompt.Position().File != "sub/prompt.md" {
		t.Errorf("prompt_file: %s %q", prompt.Position(), prompt.Source())
	}
	unnamed := parseRight(t, "name: x\nsteps: [{run: a}, {steps: [{run: b}]}]\n")
	if s := unnamed.Steps[1].Group.Steps[0]; s.ID != "" || s.Name != "step-1" || s.Path != "step-2/step-1" {
		t.Errorf("names: %q %q %q", s.ID, s.Name, s.Path)
	}
}

func TestConditions(t *testing.T) {
	tests := []struct {
		source string
		status bool
		holds  bool
	}{
		{"inputs.n == 3", false, true},
		{"${{ inputs.n > 3 }}", false, false},
		{"true", false, true},
		{"failure()", true, false},
		{"always() and inputs.n == 3", true, true},
		{"not success()", true, false},
		{"any(inputs.list, # == 'b')", false, true},
	}
	for _, tt := range tests {
		t.Run(tt.source, func(t *testing.T) {
			w := parseRight(t, "name: x\ninputs: {n: {type: integer}, list: {type: array, items: {type: string}}}\nsteps:\n  - if: \""+tt.source+"\"\n    run: x\n")
			c := w.Steps[0].If
			env := testEnv()
			for name, holds := range map[string]bool{"success": true, "failure": false, "always": true} {
				env[name] = func() bool { return holds }
			}
			holds, err := c.Holds(env)
			if err != nil || holds != tt.holds || c.UsesStatus() != tt.status {
				t.Errorf("holds %v, %v; status %v", holds, err, c.UsesStatus())
			}
		})
	}
}

func TestStopWhen(t *testing.T) {
	w := parseRight(t, "name: x\nsteps:\n  - prompt: Hi.\n    tools: [read]\n    stop: {when: 'finished and len(calls(\"read\")) > 0 and usage.output_tokens > 1'}\n")
	env := Env{
		"finished": true, "turn": 1, "text": "", "cost_usd": 0.5, "usage": map[string]any{"output_tokens": 2},
		"calls": func(names ...string) []any {
			if slices.Equal(names, []string{"read"}) {
				return []any{map[string]any{}}
			}
			return nil
		},
	}
	if holds, err := w.Steps[0].Agent.Stop.When.Holds(env); err != nil || !holds {
		t.Errorf("%v, %v", holds, err)
	}
}

func TestValueKeepsTypes(t *testing.T) {
	w := parseRight(t, "name: x\ninputs: {n: {type: integer}}\nsteps: [{run: x}]\noutputs:\n  o: {a: ['${{ inputs.n }}', 'n=${{ inputs.n }}', 1.5, null, true], k: '$${{ x }}'}\n")
	got, err := w.Outputs[0].Value.Eval(testEnv())
	if err != nil {
		t.Fatal(err)
	}
	check(t, "value", got, map[string]any{"a": []any{3, "n=3", 1.5, nil, true}, "k": "${{ x }}"})
	if _, static := w.Outputs[0].Value.Static(); static {
		t.Error("a value with expressions is said to be static")
	}
}

func TestEvalErrorsNameThePosition(t *testing.T) {
	w := parseRight(t, "name: x\ninputs: {l: {type: array, items: {type: string}}}\nsteps: [{run: x}]\noutputs:\n  o: |\n    text\n    é ${{ inputs.l[7] }}\n")
	_, err := w.Outputs[0].Value.Eval(Env{"inputs": map[string]any{"l": []any{"a"}}})
	const want = "x.yaml:7:19: the expression `inputs.l[7]` failed: there is no such element: the list has 1, from 0"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestFunctionErrorsAreWrapped(t *testing.T) {
	broken := errors.New("disk on fire")
	w := parseRight(t, "name: x\nsteps: [{run: x}]\noutputs: {o: '${{ file(\"a\") }}'}\n")
	_, err := w.Outputs[0].Value.Eval(Env{"file": func(string) (string, error) { return "", broken }})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestUsesDepth(t *testing.T) {
	files := func(deep int) Options {
		return Options{ReadFile: func(path string) ([]byte, error) {
			var n int
			if _, err := fmt.Sscanf(path, "w%d.yaml", &n); err != nil {
				return nil, os.ErrNotExist
			}
			if n == deep {
				return []byte("name: last\nsteps: [{run: x}]\n"), nil
			}
			return fmt.Appendf(nil, "name: w\nsteps: [{uses: w%d.yaml}]\n", n+1), nil
		}}
	}
	if _, ds := Load("w0.yaml", files(10)); ds.HasErrors() {
		t.Errorf("10 deep: %v", ds)
	}
	if _, ds := Load("w0.yaml", files(11)); !strings.Contains(ds.Error(), "more than 10 deep") {
		t.Errorf("11 deep: %v", ds)
	}
}

func TestConfigurationMistakes(t *testing.T) {
	tests := []struct {
		src  string
		want bool
	}{
		{"name: x\nmodel: opnai/x\nsteps: [{run: x}]\n", true},
		{"name: x\nmodel: [script/gone.yaml, fast]\nsteps: [{run: x}]\n", true},
		{"name: x\nmodel: opnai/x\nsteps: [{rnu: x}]\n", false},
		{"name: x\nsteps: [{run: x}]\n", false},
	}
	for _, tt := range tests {
		if _, ds := Parse("x.yaml", []byte(tt.src), noFiles()); ds.Configuration() != tt.want {
			t.Errorf("%q: %v", tt.src, ds)
		}
	}
}

// TestNoFiles shows what holds for a file that stands alone.
func TestNoFiles(t *testing.T) {
	if _, ds := Load("x.yaml", Options{}); !ds.HasErrors() {
		t.Error("a file was read without ReadFile")
	}
	if _, ds := Parse("x.yaml", []byte("name: x\nmodel: [script/a.yaml, anyone/m]\ntools: [anything]\nsteps: [{prompt: Hi.}]\n"), Options{}); len(ds) > 0 {
		t.Errorf("%v", ds)
	}
	if _, ds := Parse("x.yaml", []byte("name: x\nsteps: [{uses: a.yaml}]\n"), Options{}); !ds.HasErrors() {
		t.Error("a file was used without ReadFile")
	}
}

// TestExpressionsSeeTheBranches: a step after on_error: continue sees results,
// and needs reach by way of others.
func TestReach(t *testing.T) {
	parseRight(t, `name: x
steps:
  - {id: a, run: x, on_error: continue, foreach: [1, 2]}
  - {id: b, if: 'any(steps.a.results, .status == "succeeded")', run: x}
  - {id: c, needs: [b], run: "echo ${{ steps.a.results[0].text }}"}
  - {id: d, needs: [], run: x}
  - {id: e, needs: [d, c], run: "echo ${{ steps.a.status }} ${{ steps.d.exit_code }} ${{ steps.b.error?.message ?? 'none' }} ${{ steps.a.error == nil }}"}
  - id: g
    steps:
      - {id: a, run: "echo ${{ steps.e.text }}"}
      - {id: h, run: "echo ${{ steps.a.exit_code }}"}
`)
}

// TestNeedsBelow: a step may wait for one further down, when that one does not
// wait for it.
func TestNeedsBelow(t *testing.T) {
	w := parseRight(t, "name: x\nsteps:\n  - {id: a, needs: [b], run: 'echo ${{ steps.b.text }}'}\n  - {id: b, needs: [], run: x}\n")
	check(t, "needs", w.Steps[0].Needs, []int{1})
}

// TestDepends: what a step depends on is what its needs name and what it refers to,
// also from inside of it, and not what merely stands above it.
func TestDepends(t *testing.T) {
	w := parseRight(t, `
name: x
steps:
  - {id: a, run: x}
  - {id: b, run: x}
  - {id: c, run: 'echo ${{ steps.a.text }} ${{ steps.a.status }}'}
  - {id: d, needs: [b], if: steps.b.status == "succeeded", run: x}
  - id: e
    needs: [d, c]
    steps:
      - {id: f, run: x}
      - {id: g, run: 'echo ${{ steps.f.text }} ${{ steps.a.text }}'}
outputs: {all: '${{ steps.b.text }}'}
`)
	var got [][]int
	for _, step := range append(slices.Clone(w.Steps), w.Steps[4].Group.Steps...) {
		got = append(got, step.Depends)
	}
	check(t, "depends", got, [][]int{nil, nil, {0}, {1}, {3, 2, 0}, nil, {0}})
}

// TestSourceKeepsEscapes shows that the source of a text is not that of an expression,
// whose mark it escapes.
func TestSourceKeepsEscapes(t *testing.T) {
	w, ds := Parse("x.yaml", []byte(`name: x
steps:
  - tool: read
    with: {text: '$${{ run.id }}', list: ['$${{ run.id }}', 1], expression: '${{ run.id }}'}
`), Options{})
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	want := map[string]string{"text": "$${{ run.id }}", "list": `["$${{ run.id }}",1]`, "expression": "${{ run.id }}"}
	for name, value := range w.Steps[0].With {
		if got := value.Source(); got != want[name] {
			t.Errorf("%s: %q, want %q", name, got, want[name])
		}
	}
}
