package workflows

import (
	"fmt"
	"strings"
	"testing"
)

// inForeignForms is a workflow with one expression.
const inForeignForms = `name: forms
env: [HOME, GITHUB_REF]
inputs: {count: {type: integer, default: 3}, who: {type: string, default: you}, flag: {type: boolean, default: true}, tags: {type: array, items: {type: string}, default: [a]}, any: {default: x}}
steps:
  - {id: a, run: make, on_error: continue}
  - {id: files, run: git ls-files, output: lines}
  - {id: sized, run: make size, output: {type: object, properties: {size: {type: integer}, rows: {type: array, items: {type: object, properties: {name: {type: string}}}}}}}
  - {id: pages, foreach: "${{ steps.files.output }}", run: "wc -l ${{ item }}"}
  - %s: %q
    run: make
`

// TestForeignForms has expressions as other languages write them: the hint writes each as
// it is written here, and what the hint says has no mistake.
func TestForeignForms(t *testing.T) {
	tests := [][2]string{
		// Actions of GitHub
		{`contains(inputs.who, 'x')`, `inputs.who contains 'x'`},
		{`contains(inputs.tags, 'x') && steps.a.outcome == 'success'`, `'x' in inputs.tags && steps.a.status == "succeeded"`},
		{`startsWith(env.GITHUB_REF, "refs/tags/")`, `env.GITHUB_REF startsWith "refs/tags/"`},
		{`always() && needs.a.result != 'failure'`, `always() && steps.a.status != "failed"`},
		{`!cancelled()`, `success() or failure()`},
		{`hashFiles('**/go.sum') != ''`, `hash(map(glob('**/go.sum'), file(#))) != ''`},
		{`steps.sized.outputs.size > 1`, `steps.sized.output.size > 1`},
		{`steps.a.conclusion == "cancelled"`, `steps.a.status == "cancelled"`},
		{`steps.a.status == success`, `steps.a.status == "succeeded"`},
		{`steps.a.status == failure()`, `steps.a.status == "failed"`},
		{`steps.a.succeeded`, `steps.a.status == "succeeded"`},
		{`steps.pages.results[0].failed`, `steps.pages.results[0].status == "failed"`},
		{`steps.pages[0].output == "3"`, `steps.pages.results[0].output == "3"`},
		{`steps.files[0] == "x"`, `steps.files.output[0] == "x"`},
		// conditions of values that are none
		{`steps.a.status`, `steps.a.status == "succeeded"`},
		{`not steps.a.status`, `steps.a.status != "succeeded"`},
		{`steps.a`, `steps.a.status == "succeeded"`},
		{`steps.a.error`, `steps.a.error != nil`},
		{`inputs.any`, `inputs.any == true`},
		{`inputs.who == "a" or "b"`, `inputs.who in ["a", "b"]`},
		{`inputs.who != "a" && "b"`, `inputs.who not in ["a", "b"]`},
		{`"false"`, `false`},
		{`inputs.tags == 0`, `len(inputs.tags) == 0`},
		// JavaScript
		{`inputs.who === 'x'`, `inputs.who == 'x'`},
		{`inputs.who !== undefined`, `inputs.who != nil`},
		{`inputs.tags.includes('x')`, `'x' in inputs.tags`},
		{`inputs.who.includes('x')`, `inputs.who contains 'x'`},
		{`inputs.tags.length > 2`, `len(inputs.tags) > 2`},
		{`inputs.tags.some(t => t == "x")`, `any(inputs.tags, # == "x")`},
		{`inputs.tags.filter((t) => t.startsWith("x")).length > 0`, `len(filter(inputs.tags, # startsWith "x")) > 0`},
		{`inputs.tags.map(t => t.toUpperCase()).join(", ") == "X"`, `join(map(inputs.tags, upper(#)), ", ") == "X"`},
		{`JSON.stringify(inputs) == "{}"`, `toJSON(inputs) == "{}"`},
		{`inputs.who.slice(0, 2) == "yo"`, `inputs.who[0:2] == "yo"`},
		{`Math.max(1, 2) > inputs.count`, `max(1, 2) > inputs.count`},
		{`inputs.count.toString() == "3"`, `string(inputs.count) == "3"`},
		{"`v${inputs.count}`" + ` == inputs.who`, "`v` + string(inputs.count) == inputs.who"},
		{`/^v/.test(inputs.who)`, `inputs.who matches "^v"`},
		// Python
		{`inputs.who is None`, `inputs.who == nil`},
		{`inputs.who is not None`, `inputs.who != nil`},
		{`inputs.flag == True`, `inputs.flag == true`},
		{`f"v{inputs.count}" == inputs.who`, `"v" + string(inputs.count) == inputs.who`},
		{`"v%s" % inputs.who == "x"`, `format("v{0}", inputs.who) == "x"`},
		{`"v{}".format(inputs.who) == "x"`, `format("v{0}", inputs.who) == "x"`},
		{`",".join(inputs.tags) == "x"`, `join(inputs.tags, ",") == "x"`},
		{`len([t for t in inputs.tags if t != "x"]) > 0`, `len(filter(inputs.tags, # != "x")) > 0`},
		{`inputs.who in ("a", "b")`, `inputs.who in ["a", "b"]`},
		{`"x" in inputs.who`, `inputs.who contains "x"`},
		{`inputs.count in range(1, 4)`, `inputs.count in 1..3`},
		{`json.loads(inputs.who).x == 1`, `fromJSON(inputs.who).x == 1`},
		{`inputs.who.lower() == "x"`, `lower(inputs.who) == "x"`},
		{`str(inputs.count) == "3"`, `string(inputs.count) == "3"`},
		{`inputs.tags + ["c"] == []`, `concat(inputs.tags, ["c"]) == []`},
		// Jinja, templates of Go, jq
		{`inputs.tags | length > 2`, `inputs.tags | len() > 2`},
		{`inputs.who | upper == "X"`, `inputs.who | upper() == "X"`},
		{`inputs.who is defined`, `inputs.who != nil`},
		{`inputs.who | default("x") == "x"`, `(inputs.who ?? "x") == "x"`},
		{`eq inputs.who "x"`, `inputs.who == "x"`},
		{`.who == "x"`, `inputs.who == "x"`},
		{`"x" in steps.sized.output.rows[].name`, `"x" in map(steps.sized.output.rows, .name)`},
		{`inputs.who =~ "^x"`, `inputs.who matches "^x"`},
		// bash
		{`inputs.who = "x"`, `inputs.who == "x"`},
		{`${HOME} == "/"`, `env.HOME == "/"`},
		{`exists("go.mod")`, `len(glob("go.mod")) > 0`},
		{`len(glob(*.go)) > 0`, `len(glob("*.go")) > 0`},
		{`[[ inputs.count -eq 3 ]]`, `inputs.count == 3`},
		{`test -f go.mod`, `len(glob("go.mod")) > 0`},
		{`[ -z inputs.who ]`, `inputs.who == ""`},
		{`[ -f "go.mod" ]`, `len(glob("go.mod")) > 0`},
	}
	for _, test := range tests {
		t.Run(test[0], func(t *testing.T) {
			_, ds := Parse("x.yaml", fmt.Appendf(nil, inForeignForms, "if", test[0]), Options{})
			if len(ds) == 0 || !strings.Contains(ds[0].Hint, "write "+test[1]) {
				t.Fatalf("got %v, want the hint %q", ds, "write "+test[1])
			}
			if _, ds := Parse("x.yaml", fmt.Appendf(nil, inForeignForms, "if", test[1]), Options{}); len(ds) > 0 {
				t.Errorf("what the hint says: %v", ds)
			}
		})
	}
}
