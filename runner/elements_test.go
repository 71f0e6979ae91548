package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal/journaltest"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// What expressions see of elements is what they came to, whether it was read
// back or could not be written as it was.
func TestElementsAreReadBack(t *testing.T) {
	const secret = "tok-5f2e9c81"
	const source = `
name: t
steps:
  - id: each
    foreach: ${{ ["plain", "%s", "bytes", "none"] }}
    on_error: continue
    run: |
      case ${{ item }} in bytes) printf 'a\377b';; none) echo why >&2; exit 3;; *) printf %%s ${{ item }};; esac
  - id: numbers
    foreach: ${{ 1..3 }}
    run: echo '{"n":' ${{ item }} ', "f":' ${{ item }}.5 '}'
    output: json
outputs:
  texts: ${{ join(map(steps.each.results, .text), "|") }}
  last: ${{ steps.each.results[3].status }} ${{ steps.each.results[3].exit_code }} ${{ steps.each.results[3].error.kind }}
  items: ${{ join(map(steps.each.results, .item + string(.index)), ",") }}
  sum: ${{ sum(map(steps.numbers.output, .n)) + [10, 20, 30][steps.numbers.output[1].n] }}
  floats: ${{ sum(map(steps.numbers.results, .output.f)) }}
  text: ${{ steps.numbers.text }}
  status: ${{ steps.each.status }} ${{ steps.numbers.status }}
`
	tr := newTrial(t)
	tr.change = func(o *Options) { o.Mask = tools.NewMask([]string{secret}) }
	r := tr.run(fmt.Sprintf(source, secret))
	want := "texts: plain|" + secret + "|a\uFFFDb|\nlast: failed 3 command\nitems: plain0," + secret + "1,bytes2,none3\n" +
		"sum: 36\nfloats: 7.5\ntext: [{\"f\":1.5,\"n\":1},{\"f\":2.5,\"n\":2},{\"f\":3.5,\"n\":3}]\nstatus: failed succeeded"
	if got := r.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, name := range []string{"run/run.json", "run/journal.jsonl"} {
		if strings.Contains(tr.file(name), secret) {
			t.Errorf("%s has the secret", name)
		}
	}
	for i := range 4 {
		if _, inMemory := r.Steps[0].elements.inMemory[i]; inMemory != (i == 1) {
			t.Errorf("element %d is held in memory: %v", i, inMemory)
		}
	}
}

func TestElementsAfterTheRun(t *testing.T) {
	tr := newTrial(t)
	r := tr.run(`
name: t
steps:
  - id: each
    foreach: ${{ [1, 2, 3] }}
    max_parallel: 1
    run: test ${{ item }} != 2 && echo ${{ item }}
`)
	var got []string
	for _, e := range elementsOf(t, r.Steps[0]) {
		got = append(got, fmt.Sprintf("%d %v %s %q", e.Index, e.Item, e.Status, e.Text))
	}
	if want := `0 1 succeeded "1", 1 2 failed "", 2 3 cancelled ""`; strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
}

// An element that can't be read back is told where it is asked for.
func TestElementThatIsGone(t *testing.T) {
	r := newTrial(t).run(`
name: t
steps:
  - {id: each, foreach: "${{ 1..3 }}", run: echo}
  - {id: rm, run: truncate -s 10 run/journal.jsonl}
  - {id: use, run: "echo ${{ len(steps.each.results) }}"}
`)
	if r.Status != steps.Failed || r.Error.Step != "use" || !strings.Contains(r.Error.Message, "steps.each: ") || !strings.Contains(r.Error.Message, "no line begins here") {
		t.Errorf("status %s, error %+v", r.Status, r.Error)
	}
}

// A run can't go on whose journal counts more elements than are in their list.
func TestElementsThatTheirListLacks(t *testing.T) {
	tr := newTrial(t)
	const source = "name: t\nsteps: [{id: each, foreach: \"${{ ['a', 'b'] }}\", max_parallel: 1, run: \"false\"}]\n"
	tr.run(source)
	dir := filepath.Join(tr.dir, "run")
	lines := regexp.MustCompile(`"seq":\d+,"time":"[^"]*",|,"sum":"[0-9a-f]*"`).ReplaceAllString(tr.file("run/journal.jsonl"), "")
	journaltest.Write(t, dir, strings.Replace(lines, `"count":2`, `"count":3`, 1))
	tr.change = func(o *Options) { o.Dir, o.Resume = dir, &Resumption{Failed: true} }
	r, err := tr.try(source)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != steps.Failed || !strings.Contains(r.Error.Message, "2 of 3 elements are in the journal") {
		t.Errorf("%s: %+v", r.Status, r.Error)
	}
}

// The long texts of a foreach's elements are read back up to a bound.
func TestReadBackIsBounded(t *testing.T) {
	for _, last := range []int64{maxTexts / 2, maxTexts/2 + 1} {
		all := []*StepResult{{}, {}, {}}
		all[0].whole, all[2].whole = &wholeText{size: maxTexts / 2}, &wholeText{size: last}
		read := 0
		err := inMemory(all...).each(func(int, *ElementResult, *steps.Result) { read++ })
		if fits := last == maxTexts/2; fits != (err == nil) || fits != (read == 3) {
			t.Errorf("a last text of %d bytes: %d elements are read, error %v", last, read, err)
		}
	}
}

// What a unit reads back of a step in a list around it is held as long as the unit of that list lives
// in which it is, for all that is inside of that.
func TestReadBackIsHeldByTheUnitOfTheList(t *testing.T) {
	top := newVisible()
	top.add(&StepResult{id: "each", elements: inMemory(&StepResult{})})
	outer := top.forUnit()
	first, second := outer.listInside().forUnit(), outer.listInside().forUnit()
	if _, err := first.read("each", "status"); err != nil || len(outer.full) != 0 {
		t.Fatalf("a status needs no element: %v, %v", outer.full, err)
	}
	for _, by := range []*visibleSteps{first, second} {
		if full, err := by.read("each", "results"); err != nil || len(full.(map[string]any)["results"].([]any)) != 1 {
			t.Fatalf("got %v, %v", full, err)
		}
	}
	if len(outer.full) != 1 || len(first.full)+len(second.full)+len(top.full) != 0 {
		t.Errorf("read back by %v, %v, %v, %v", outer.full, first.full, second.full, top.full)
	}
	if none, err := first.read("other", ""); none != nil || err != nil {
		t.Errorf("found %v, %v", none, err)
	}
}

func TestElementSumIsInTheOrderOfTheElements(t *testing.T) {
	result := func(i int, status steps.Status) *StepResult {
		return &StepResult{Result: steps.Result{
			Status: status, Error: &steps.Error{Kind: steps.KindTool, Message: fmt.Sprintf("no %d", i)},
			Text: "long",
		}}
	}
	sum := elementSum{counts: ElementCounts{Total: 5}}
	sum.add(0, result(0, steps.Succeeded))
	sum.add(1, result(1, steps.Failed))
	never := steps.Interrupted(errSibling)
	sum.never(2, &never)
	sum.add(3, result(3, steps.Failed))
	sum.never(4, &never)
	var r StepResult
	sum.conclude(&r, &workflows.Step{})
	if want := "element 1: no 1 (1 more failed, 2 did not start)"; r.Error.Message != want || r.Status != steps.Failed {
		t.Errorf("%s: %q, want %q", r.Status, r.Error.Message, want)
	}
	want := ElementCounts{Total: 5, Succeeded: 1, NotBegun: 2, Reasons: map[steps.Kind]int{steps.KindTool: 2}}
	if diff := cmp.Diff(&want, r.Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

// Each element that is text says how it begins, without secrets.
func TestElementsSayWhatTheyAre(t *testing.T) {
	tr := newTrial(t)
	tr.change = func(o *Options) { o.Mask = tools.NewMask([]string{"token-1234"}) }
	tr.run(`
name: t
steps:
  - {id: each, max_parallel: 1, foreach: '${{ ["a.go", "x token-1234", 3, repeat("é", 200)] }}', steps: [{run: "true"}]}
`)
	var items []string
	for _, e := range tr.events {
		if e.Type == StepStarted && (e.Item != "" || e.Step == "each" && e.Index != nil) {
			items = append(items, e.Step+" "+e.Item)
		}
	}
	want := []string{"each a.go", "each x ***", "each ", "each " + strings.Repeat("é", maxItemText)}
	if diff := cmp.Diff(want, items); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

// What is written piece by piece is what encoding/json would make of the whole.
func TestDocumentIsJSON(t *testing.T) {
	tr := newTrial(t)
	r := tr.run(`
name: t
steps:
  - id: g
    foreach: ${{ ["x", "y"] }}
    steps:
      - {id: a, foreach: "${{ 1..2 }}", run: "echo '<&>' ${{ item }}"}
  - {id: none, foreach: "${{ [] }}", run: echo}
outputs: {o: "${{ {} }}"}
`)
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var compact, written bytes.Buffer
	if err := json.Compact(&written, []byte(tr.file("run/run.json"))); err != nil {
		t.Fatal(err)
	}
	if err := json.Compact(&compact, data); err != nil {
		t.Fatal(err)
	}
	unescaped := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(compact.String())
	if unescaped != written.String() {
		t.Errorf("json.Marshal gives\n%s\nand the file has\n%s", unescaped, written.String())
	}
	if want := "{\n  \"version\": 1,\n"; !strings.HasPrefix(tr.file("run/run.json"), want) {
		t.Errorf("run.json begins with %.60q", tr.file("run/run.json"))
	}
	if line := "\n        {\"index\":1,\"item\":\"y\","; !strings.Contains(tr.file("run/run.json"), line) {
		t.Errorf("an element of run.json is not on a line of its own:\n%s", tr.file("run/run.json"))
	}
}

// What is copied from the journal is what would be written of the element that it gives
// back.
func TestElementsAreCopied(t *testing.T) {
	tr := newTrial(t)
	mask := tools.NewMask([]string{"token-1234"})
	tr.change = func(o *Options) { o.Mask = mask }
	r := tr.run(`
name: t
steps:
  - id: texts
    foreach: ['plain <&> "é"', 1.50, "a\\u0041", "\u0001", "***", "a token-1234"]
    run: printf %s ${{ item }}
  - id: fails
    foreach: [0, 3]
    run: echo why >&2; exit ${{ item }}
    on_error: continue
  - id: values
    foreach: ['{"z":1.50,"a":[-1,12345678901234567890123,1e40]}', '[]', 'null', '{']
    run: echo ${{ item }}
    output: json
    on_error: continue
  - {id: long, foreach: [1], run: seq 20000}
  - {id: group, foreach: [1], steps: [{run: echo}]}
  - {id: tools, foreach: [a], tool: one}
`)
	for _, step := range r.Steps {
		if step.elements == nil {
			t.Fatalf("%s: %v", step.path, step.Error)
		}
		for i := range step.elements.count() {
			element, err := step.elements.element(i)
			if err != nil {
				t.Fatal(err)
			}
			data, err := step.elements.line(i)
			want, wrong := element.MarshalJSON()
			if err := errors.Join(err, wrong); err != nil || string(mask.JSON(data)) != string(mask.JSON(want)) {
				t.Errorf("%s[%d]: got\n%s\nwant\n%s\n%v", step.path, i, data, want, err)
			}
		}
	}
}

// A finished element costs a few bytes.
func TestFinishedElementsTakeNoMemory(t *testing.T) {
	const n = 300
	text := strings.Repeat(strings.Repeat("x", 99)+`\n`, 200) // 6 MB of all
	tr := newTrial(t)
	var before, after runtime.MemStats
	tr.change = func(o *Options) {
		o.Observe = func(e Event) {
			if e.Type != StepStarted || e.Step != "now" {
				return
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&before)
	r := tr.run(fmt.Sprintf(`
name: t
steps:
  - {id: each, foreach: "${{ 1..%d }}", run: "printf '%s'"}
  - {id: now, run: "true"}
  - {id: count, run: "echo ${{ len(filter(steps.each.results, len(.text) == 19999)) }}"}
`, n, text))
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 3<<20 {
		t.Errorf("%d bytes are held after %d elements", grown, n)
	}
	if got := r.Steps[2].Text; got != fmt.Sprint(n) {
		t.Errorf("%q elements are read back: %+v, %+v", got, r.Error, r.Steps[2])
	}
}

// The results of elements are collected while others beside them are recorded.
func TestElementsBesideEachOther(t *testing.T) {
	r := newTrial(t).run(`
name: t
outputs: {n: '${{ len(filter(steps.each.results, .status == "succeeded")) }}'}
steps:
  - {id: each, foreach: "${{ 1..1000 }}", max_parallel: 32, steps: [{id: never, if: item < 0, run: "true"}]}
`)
	if got := r.Text(); got != "1000" {
		t.Errorf("%s elements have succeeded: %v", got, r.Error)
	}
}

// inMemory returns elements with these results, all of which are in memory.
func inMemory(all ...*StepResult) *elements {
	e := &elements{store: &store{}, Foreach: &history.Foreach{Count: len(all)}, items: make([]any, len(all)), ended: make([]bool, len(all))}
	for i, r := range all {
		e.put(i, r)
	}
	return e
}
