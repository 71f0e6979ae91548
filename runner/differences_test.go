package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/workflows"
)

const differing = `name: t
model: fake/one
budget: {tokens: 100}
outputs: {x: 1}
steps:
  - {id: a, run: echo a}
  - id: g
    steps: [{id: b, run: echo b}]
  - {id: u, uses: used.yaml}
`

const differingUsed = "name: used\nsteps: [{id: i, run: echo i}]\n"

// What of files is no work of any step is no difference; of what is, the step is named.
func TestDifferences(t *testing.T) {
	first := newTrial(t)
	first.write("used.yaml", differingUsed)
	load := func(source, used string) (*workflows.Workflow, map[string]string) {
		sums := map[string]string{}
		w, found := workflows.Load("flow.yaml", workflows.Options{ReadFile: func(path string) ([]byte, error) {
			text := map[string]string{"flow.yaml": source, "used.yaml": used}[path]
			sum := sha256.Sum256([]byte(text))
			sums[path] = hex.EncodeToString(sum[:])
			return []byte(text), nil
		}})
		if found.HasErrors() {
			t.Fatal(found)
		}
		sums["prompt.md"] = "1"
		return w, sums
	}
	_, sums := load(differing, differingUsed)
	first.change = func(o *Options) { o.Files = sums }
	first.run(differing)
	began, err := ReadBeginning(filepath.Join(first.dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ old, new, want string }{
		{"", "", ""},
		{"steps:\n", "# a comment\nsteps:\n", ""},
		{"{id: a, run: echo a}", "id: a\n    run: 'echo a'", ""},
		{"tokens: 100", "tokens: 200, time: 1h", ""},
		{"outputs: {x: 1}", "outputs: {y: 2}\ndescription: d\nprices: {fake/one: {input: 1, output: 1}}", ""},
		{"echo a", "echo other", "step \"a\" has changed"},
		{"echo b", "echo other", "step \"g/b\" has changed"},
		{"id: g", "id: g\n    if: 1 > 0", "step \"g\" has changed"},
		{"echo i", "echo other", "step \"u/i\" has changed"},
		{"name: used", "name: used\nenv: [X]", "step \"u\" has changed"},
		{"- {id: a, run: echo a}", "- {id: c, run: echo a}", "step \"c\" is new, step \"a\" is gone"},
		{"model: fake/one", "model: fake/two", "model"},
		{"model: fake/one", "model: fake/one\npermissions: {read: allow}", "permissions"},
	} {
		w, now := load(strings.Replace(differing, test.old, test.new, 1), strings.Replace(differingUsed, test.old, test.new, 1))
		if got := strings.Join(began.Differences(w, now), ", "); got != test.want {
			t.Errorf("%q for %q: %q, want %q", test.new, test.old, got, test.want)
		}
	}
	w, now := load(differing, differingUsed)
	if now["prompt.md"] = "2"; strings.Join(began.Differences(w, now), ", ") != "prompt.md" {
		t.Errorf("another file that is no workflow: %q", began.Differences(w, now))
	}
}

// A step that the changed workflow has not can't be taken up anew, and nothing is
// written of that.
func TestChangedFromNowhere(t *testing.T) {
	tr := newTrial(t)
	tr.run("name: t\nsteps: [{id: a, run: echo a}]\n")
	before := tr.read(filepath.Join(tr.dir, "run"))
	tr.change = func(o *Options) {
		o.Resume = &Resumption{Changed: true}
		o.Resume.From = append(o.Resume.From, unitOf(t, "a"))
	}
	_, err := tr.try("name: t\nsteps: [{id: b, run: echo b}]\n")
	if err == nil || !strings.Contains(err.Error(), `the workflow has no step "a"`) {
		t.Errorf("got %v", err)
	}
	if after, err := os.ReadFile(filepath.Join(tr.dir, "run", "journal.jsonl")); err != nil || string(after) != before {
		t.Errorf("%v: the journal is not as it was", err)
	}
}
