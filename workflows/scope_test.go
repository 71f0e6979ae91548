package workflows

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// scopeFile has an expression, true or false, at each mark.
const scopeFile = `name: scopes
model: openai/x
inputs: {n: {type: integer, default: 1}}
env: [HOME]
workspace: ${{ "@workspace" }}
system: ${{ "@system" }}
instructions: [ '${{ "@instructions" }}' ]
stop: {when: "'@default stop.when' == ''"}
tools: [read]
custom_tools:
  lister: {description: d, run: [ls, '${{ "@custom tool" }}']}
  script: {description: d, run: 'ls ${{ "@custom script" }}'}
permissions: {lister: allow}
steps:
  - {id: before, run: echo}
  - id: each
    if: "'@if' == ''"
    foreach: ['${{ "@foreach" }}']
    as: name
    run: echo ${{ "@run" }}
  - id: agent
    prompt: ${{ "@prompt" }}
    tools: [{name: read, with: {filePath: '${{ "@pinned" }}'}}]
    stop: {when: "'@stop.when' == ''"}
    output: {type: object, properties: {page: {type: string}}, required: [page]}
    checks:
      - {expr: "'@check' == ''"}
      - {run: 'test ${{ "@check run" }}'}
  - {id: call, tool: read, with: {filePath: '${{ "@with" }}'}}
  - id: group
    until: "'@until' == ''"
    steps:
      - {id: inner, run: 'echo ${{ "@inner" }}'}
      - {id: second, run: 'echo ${{ "@second" }}'}
outputs:
  o: ${{ "@outputs" }}
`

// TestScopes puts each name at each mark: it is known where the table says so,
// and nowhere else.
func TestScopes(t *testing.T) {
	const (
		always = "workspace|system|instructions|default stop.when|custom tool|custom script|if|foreach|run|prompt|pinned|stop.when|check|check run|with|until|inner|second|outputs"
		inStep = "if|foreach|run|prompt|pinned|stop.when|check|check run|with|until|inner|second|outputs"
	)
	names := map[string]string{
		"inputs.n":              always,
		"env.HOME":              always,
		"run.id":                always,
		"workflow.name":         always,
		"file('x')":             always,
		"glob('x')":             always,
		"hash('x')":             always,
		"steps.before.text":     inStep,
		"steps.each.output[0]":  "prompt|pinned|stop.when|check|check run|with|until|inner|second|outputs",
		"steps.agent.turns":     "with|until|inner|second|outputs",
		"steps.inner.exit_code": "until|second",
		"steps.second.text":     "until",
		"steps.group.text":      "outputs",
		"name":                  "run",
		"item":                  "",
		"index":                 "run",
		"round":                 "until|inner|second",
		"success()":             "if",
		"always()":              "if",
		"failure()":             "if",
		"output.page":           "check|check run",
		"args":                  "custom tool|custom script",
		"turn":                  "default stop.when|stop.when",
		"finished":              "default stop.when|stop.when",
		"cost_usd":              "default stop.when|stop.when",
		"usage.input_tokens":    "default stop.when|stop.when",
		"calls()":               "default stop.when|stop.when",
		"calls()[0].name":       "default stop.when|stop.when",
		"text":                  "default stop.when|stop.when|check|check run",
		"now()":                 "",
		"timezone('UTC')":       "",
		"$env":                  "",
		"results":               "",
	}
	if _, ds := Parse("x.yaml", []byte(scopeFile), Options{Tools: builtInTools()}); ds.HasErrors() {
		t.Fatal(ds)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		t.Run(name, func(t *testing.T) {
			for mark := range strings.SplitSeq(always, "|") {
				_, ds := Parse("x.yaml", []byte(withExpression(mark, name)), Options{Tools: builtInTools()})
				want := slices.Contains(strings.Split(names[name], "|"), mark)
				unknown := slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Code != diagnostic.CodeSchema }) // the value may be of another type
				if got := !unknown; got != want {
					t.Errorf("%s: known %v, want %v: %v", mark, got, want, ds)
				}
			}
		})
	}
}

// withExpression gives the file with an expression at one mark.
func withExpression(mark, expression string) string {
	inString := strings.ReplaceAll(expression, "'", `\"`)
	if !strings.Contains(scopeFile, `"'@`+mark+`'`) {
		inString = strings.ReplaceAll(expression, "'", "`")
	}
	return strings.NewReplacer(`"@`+mark+`"`, inString, `'@`+mark+`' == ''`, "("+inString+") == nil").Replace(scopeFile)
}

// TestHintsOfScopes shows what is said of names that are known elsewhere.
func TestHintsOfScopes(t *testing.T) {
	tests := []struct{ mark, name, want string }{
		{"if", "index", "before there is one"},
		{"prompt", "item", "a step with foreach"},
		{"run", "round", "a group with until"},
		{"system", "steps.before", "can't be named here"},
		{"run", "success()", "only if"},
		{"prompt", "output", "checks have it"},
		{"run", "args", "custom tools"},
		{"run", "turn", "only stop.when"},
		{"run", "secrets.X", "a secret is read by env.NAME"},
		{"run", "needs.before.output", "a step that has ended is steps.<id>"},
		{"run", "needs.before.outputs.x", "steps.<id>"},
		{"run", "github.ref", "read env.GITHUB_SHA"},
		{"run", "github.event.number", "read env.GITHUB_SHA"},
		{"run", "before.text", "steps.before"},
		{"run", "n", "inputs.n"},
		{"run", "null", "nil"},
		{"run", "env.PATH", `under the file's "env"`},
		{"run", "lenn('x')", `"len"`},
		{"outputs", "steps.inner.text", `inside the group "group"`},
		{"run", "steps.agent.text", "ended before it starts"},
	}
	for _, tt := range tests {
		t.Run(tt.mark+" "+tt.name, func(t *testing.T) {
			_, ds := Parse("x.yaml", []byte(withExpression(tt.mark, tt.name)), Options{Tools: builtInTools()})
			if len(ds) == 0 || !strings.Contains(ds[0].Hint, tt.want) {
				t.Errorf("got %v, want %q", ds, tt.want)
			}
		})
	}
}

// TestVariableNamedLikeAFunction: an expression may call a variable of its own like a
// function, inside of a call.
func TestVariableNamedLikeAFunction(t *testing.T) {
	_, ds := Parse("x.yaml", []byte("name: x\nsteps: [{run: 'echo ${{ toJSON(let all = [1]; filter(all, # > 0)) }}'}]\n"), Options{})
	if len(ds) > 0 {
		t.Error(ds)
	}
}
