package examples

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers/providertest"
	"github.com/a-seed-11b9befa/flow/providers/script"
)

// A manyModule is a module of packages, and a workflow that asks a service on
// this machine for a page of each and keeps what it answers.
type manyModule struct {
	t         testing.TB
	dir       string // of the module
	packages  int
	workflow  string
	variables []string
	asked     *counted
	model     func() *script.Model
}

func newManyModule(t testing.TB, packages int, workflow string, model func() *script.Model) *manyModule {
	asked := &counted{service: service{t: t, dialect: &providertest.Messages{}}}
	server := httptest.NewServer(asked)
	t.Cleanup(server.Close)
	m := &manyModule{t: t, dir: t.TempDir(), packages: packages, workflow: filepath.Join(t.TempDir(), "flow.yaml"), asked: asked, model: model}
	m.variables = []string{"ANTHROPIC_BASE_URL=" + server.URL + "/v1", "ANTHROPIC_API_KEY=sk-0123456789abcdef", "FLOW_CACHE=" + t.TempDir()}
	write(t, filepath.Dir(m.workflow), "flow.yaml", "cache: true\n"+workflow)
	write(t, m.dir, "go.mod", "module example.com/many\n\ngo 1.26\n")
	for i := range packages {
		m.source(i, "")
	}
	return m
}

// source writes one of the packages.
func (m *manyModule) source(i int, more string) {
	m.t.Helper()
	name := fmt.Sprintf("p%03d", i)
	if err := os.MkdirAll(filepath.Join(m.dir, name), 0o777); err != nil {
		m.t.Fatal(err)
	}
	write(m.t, filepath.Join(m.dir, name), "p.go", fmt.Sprintf("// Package %s is number %d.\npackage %s\n\n// F%d returns it.\nfunc F%d() int { return %d }\n%s", name, i, name, i, i, i, more))
}

// run documents all of them anew. The prompts are those of the requests.
func (m *manyModule) run() (f finished, written map[string]string, prompts []string) {
	m.t.Helper()
	pages := filepath.Join(m.dir, "docs")
	if err := os.RemoveAll(pages); err != nil {
		m.t.Fatal(err)
	}
	m.asked.begin(m.model())
	f = startWith(m.t, m.variables, filepath.Dir(m.workflow), flowProgram, "run", m.workflow, "-i", "root="+m.dir, "--model", "anthropic/any", "--quiet")
	if f.code != 0 {
		m.t.Fatalf("exit code %d\n%s%s", f.code, f.stdout, f.stderr)
	}
	return f, filesOf(m.t, pages), m.asked.begin(nil)
}

// TestManyPackages documents a module of 40 packages that was not made for it: the
// second run asks nothing, and after three packages have changed it asks for those. The
// pages are the same to the byte.
func TestManyPackages(t *testing.T) {
	const packages = 40
	m := newManyModule(t, packages, read(t, "docs-gen.yaml"), func() *script.Model { return played(t, "docs-gen.script.yaml") })
	_, first, prompts := m.run()
	if len(first) != packages+1 || len(prompts) < 2*packages {
		t.Fatalf("%d pages, %d requests", len(first), len(prompts))
	}
	_, second, prompts := m.run()
	if diff := cmp.Diff(first, second); diff != "" || len(prompts) != 0 {
		t.Errorf("the second run asks %d times; pages differ (-first +second):\n%s", len(prompts), diff)
	}
	for _, i := range []int{7, 20, 39} {
		m.source(i, "\n// Added has come.\nfunc Added() {}\n")
	}
	_, _, prompts = m.run()
	about := map[string]bool{}
	for _, prompt := range prompts {
		if strings.HasPrefix(prompt, "Write the reference page") {
			about[strings.Fields(prompt)[8]] = true
		}
	}
	want := map[string]bool{"example.com/many/p007.": true, "example.com/many/p020.": true, "example.com/many/p039.": true}
	if diff := cmp.Diff(want, about); diff != "" {
		t.Errorf("asked for other packages than those that changed (-want +got):\n%s", diff)
	}
}

// lightFlow is docs-gen with tools that take next to no time: no program is started for
// a page, neither by a tool nor by a check.
const lightFlow = `name: light
inputs: {root: {type: string}}
workspace: ${{ inputs.root }}
steps:
  - {id: packages, run: ls -d p*, output: lines}
  - id: pages
    foreach: ${{ steps.packages.output }}
    as: package
    max_parallel: 4
    tools: [read, glob, write]
    permissions: {write: {"docs/reference/**": allow}}
    prompt: Write the reference page of ${{ package }}.
    output: {type: object, properties: {page: {type: string}}, required: [page], additionalProperties: false}
    checks: [{expr: 'output.page contains package'}]
`

// lightModel plays lightFlow in four turns, as docs-gen.script.yaml has them.
func lightModel() *script.Model {
	turn := func(s script.Scene) (script.Answer, error) {
		name := strings.TrimSuffix(strings.TrimPrefix(s.Prompt, "Write the reference page of "), ".")
		page := "docs/reference/" + name + "/README.md"
		call := func(tool string, arguments map[string]any) script.Call {
			return script.Call{Name: tool, Arguments: arguments}
		}
		switch (len(s.Messages) - 1) / 2 {
		case 0:
			return script.Answer{Calls: []script.Call{call("read", map[string]any{"filePath": name + "/p.go"}), call("glob", map[string]any{"pattern": "*.go", "path": name})}}, nil
		case 1:
			return script.Answer{Calls: []script.Call{call("write", map[string]any{"filePath": page, "content": "# " + name + "\n"})}}, nil
		case 2:
			return script.Answer{Calls: []script.Call{call("read", map[string]any{"filePath": page})}}, nil
		}
		return script.Answer{Output: map[string]any{"page": page}, HasOutput: true}, nil
	}
	return script.New("script/light", script.Script{Steps: map[string][]script.Turn{script.AnyStep: {turn, turn, turn, turn}}})
}

// BenchmarkKeptAnswers is a run that asks nothing, since all answers are kept: the CPU
// that it takes for each of 150 packages, with all that it starts. What the first has
// more than the second are its tools: go doc, grep, a check that is held.
func BenchmarkKeptAnswers(b *testing.B) {
	const packages = 150
	for _, bench := range []struct {
		name, workflow string
		model          func() *script.Model
	}{
		{"docs-gen", read(b, "docs-gen.yaml"), func() *script.Model { return played(b, "docs-gen.script.yaml") }},
		{"light tools", lightFlow, lightModel},
	} {
		b.Run(bench.name, func(b *testing.B) {
			m := newManyModule(b, packages, bench.workflow, bench.model)
			if _, pages, _ := m.run(); len(pages) < packages {
				b.Fatalf("%d pages", len(pages))
			}
			var cpu time.Duration
			for b.Loop() {
				f, _, prompts := m.run()
				if len(prompts) > 0 {
					b.Fatalf("%d requests", len(prompts))
				}
				cpu += f.cpu
			}
			b.ReportMetric(cpu.Seconds()*1e3/float64(b.N)/packages, "cpu-ms/package")
		})
	}
}
