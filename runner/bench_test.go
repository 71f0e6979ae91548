package runner

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// BenchmarkForeach is a foreach of agents with one turn each. Its figures are
// those of one element.
func BenchmarkForeach(b *testing.B) {
	dir := b.TempDir()
	source := fmt.Sprintf(`
name: many
model: openai/m
steps:
  - id: each
    foreach: ${{ 1..%d }}
    max_parallel: 8
    prompt: Say ${{ item }}
    tools: [one, two, three]
    output: {type: object, properties: {n: {type: integer}}, required: [n]}
`, b.N)
	w, diagnostics := workflows.Parse("flow.yaml", []byte(source), workflows.Options{Tools: []workflows.ToolInfo{{Name: "one"}, {Name: "two"}, {Name: "three"}}})
	if diagnostics.HasErrors() {
		b.Fatal(diagnostics)
	}
	b.ReportAllocs()
	b.ResetTimer()
	r, err := Run(b.Context(), Options{
		Workflow: w, ID: "r", Dir: filepath.Join(dir, "run"), Workspace: dir,
		Models: func(ref string, _ *workflows.Workflow) (providers.Model, error) {
			return fakeModel{ref, func(context.Context, providers.Request) (providers.Message, error) { return says(`{"n": 1}`), nil }}, nil
		},
		Tools: func(context.Context, ToolScope) (Toolbox, error) {
			return Toolbox{Guard: allowAll{}, Find: func(name string) []tools.Tool { return []tools.Tool{echo{name}} }}, nil
		},
	})
	b.StopTimer()
	if err != nil || r.Status != "succeeded" {
		b.Fatal(err, r)
	}
	b.ReportMetric(float64(size(b, filepath.Join(dir, "run/journal.jsonl")))/float64(b.N), "journal-B/op")
}

func size(b *testing.B, name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// BenchmarkReadBack reads all results of a foreach of 1,000 elements as an
// expression asks for them.
func BenchmarkReadBack(b *testing.B) {
	r := thousand(b)
	for b.Loop() {
		if _, err := r.Steps[0].fullRecord(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWriteRun writes the result of a run with a foreach of 1,000 elements.
func BenchmarkWriteRun(b *testing.B) {
	r := thousand(b)
	for b.Loop() {
		if err := r.WriteJSON(io.Discard, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// thousand is a run of so many elements.
func thousand(b *testing.B) *Result {
	dir := b.TempDir()
	w, diagnostics := workflows.Parse("flow.yaml", []byte(`{name: t, steps: [{id: each, foreach: "${{ 1..1000 }}", run: ":"}]}`), workflows.Options{})
	if diagnostics.HasErrors() {
		b.Fatal(diagnostics)
	}
	r, err := Run(b.Context(), Options{Workflow: w, ID: "r", Dir: filepath.Join(dir, "run"), Workspace: dir})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	return r
}

// BenchmarkEvent writes one event of a call.
func BenchmarkEvent(b *testing.B) {
	file, err := os.Create(filepath.Join(b.TempDir(), "events.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	s, index := NewStream(file, nil), 7
	e := Event{RunID: "20261121-031522-k3f9", Step: "pages", Index: &index}
	e.Type, e.Turn, e.CallID, e.Tool, e.Input = "call_finished", 3, "call_1", "read", []byte(`{"filePath":"README.md"}`)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Write(e); err != nil {
			b.Fatal(err)
		}
	}
}
