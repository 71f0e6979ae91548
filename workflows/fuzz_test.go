package workflows

import (
	"os"
	"path/filepath"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/expr-lang/expr/types"

	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// seed adds the files of testdata, and those that are made to hurt, cut short.
func seed(f *testing.F) {
	for _, folder := range []string{"testdata/ok", "testdata/err", "testdata/err/sub"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds in %s: %v", folder, err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
	for _, text := range hostileFiles() {
		f.Add([]byte(text[:min(len(text), 300)]))
	}
}

// checkPlaces fails where a diagnostic points outside of its file.
func checkPositions(t *testing.T, src []byte, ds Diagnostics) {
	t.Helper()
	lines := tree.NewSource("", string(src)).Lines()
	for _, d := range ds {
		if d.File == "" || d.Message == "" || d.Code == "" {
			t.Fatalf("incomplete: %+v", d)
		}
		if d.Line < 1 || d.Line > lines+1 || d.Column < 1 {
			t.Fatalf("no such place: %s in %d lines", d, lines)
		}
		if out := d.Render(); !utf8.ValidString(out) || len(out) > 8<<10 {
			t.Fatalf("rendered badly: %q", out)
		}
	}
}

// noFiles are options in which every other file is missing.
func noFiles() Options {
	return Options{Tools: builtInTools(), Providers: builtInProviders(), ReadFile: func(string) ([]byte, error) { return nil, os.ErrNotExist }}
}

func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		start := time.Now()
		w, ds := Parse("x.yaml", src, noFiles())
		checkPositions(t, src, ds)
		if (w == nil) != ds.HasErrors() {
			t.Fatalf("workflow %v with %v", w, ds)
		}
		if took := time.Since(start); took > hang {
			t.Fatalf("took %v", took)
		}
		DecodeData("x.yaml", src)
	})
}

func FuzzParseScript(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		m, ds := ParseScript("x.yaml", src)
		checkPositions(t, src, ds)
		if m == nil {
			return
		}
		for _, turns := range m.Steps {
			for _, turn := range turns[:min(len(turns), 10)] {
				turn.Play(scriptEnv()) // an error is as good as an answer
			}
		}
	})
}

func fuzzNames() map[string]types.Type {
	return map[string]types.Type{"inputs": types.Map{"n": types.Int, "s": types.String, "list": types.Array(types.String), "data": types.TypeOf(map[string]any{})}}
}

func FuzzTemplate(f *testing.F) {
	for _, text := range []string{
		"plain", "${{ inputs.s }}", "a ${{ inputs.n + 1 }} b $${{ c }}", `${{ {"a": {"b": "}}"}}.a.b }}`, "${{ `}}` }}", "${{ ( }}", "${{",
		"${{ map(1..3, # * 2) }}", `${{ replace(inputs.s, "h", "") }}`, `${{ format("{0}{{", inputs.list) }}`, "${{ let x = [1]; [x, x] == [x] }}",
		`${{ reduce(1..60, #acc + #acc, "aa") }}`, "${{ fromJSON(toJSON(inputs)) }}", "${{ $env }}", "${{ inputs.data?.x ?? 1 }}", `${{ "a" in inputs.list }}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found := &tree.Report{}
		p := newParser(found, expression.NewGrammar(workflowFunctions()))
		n := &tree.Node{Src: tree.NewSource("x", text), Text: text, Kind: tree.KindString, Line: 1, Column: 1}
		template := p.template(n)
		p.compileTemplate(template, expression.NewScope(p.reader.Grammar, nil).With(fuzzNames()))
		checkPositions(t, []byte(text), p.Diagnostics())
		if len(p.Found) > 0 {
			return
		}
		start := time.Now()
		template.Text(testEnv()) // an error is as good as a text
		if took := time.Since(start); took > hang {
			t.Fatalf("took %v", took)
		}
	})
}
