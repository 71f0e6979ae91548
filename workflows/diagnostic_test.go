package workflows

import (
	"encoding/json"
	"testing"
)

func TestDiagnosticJSON(t *testing.T) {
	d := Diagnostic{File: "a.yaml", Line: 3, Column: 7, Severity: SeverityError, Code: "key", Message: "m", Hint: "h", Source: "line", Length: 3}
	got, err := json.Marshal(Diagnostics{d})
	const want = `[{"file":"a.yaml","line":3,"column":7,"severity":"error","code":"key","message":"m","hint":"h"}]`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestRenderDiagnostic(t *testing.T) {
	tests := []struct {
		what string
		d    Diagnostic
		want string
	}{
		{"mark", Diagnostic{File: "f", Line: 12, Column: 3, Code: "key", Message: "m", Source: "a bcd e", Length: 3}, "f:12:3: m [key]\n12 | a bcd e\n   |   ^~~"},
		{"hint", Diagnostic{File: "f", Line: 1, Column: 1, Code: "c", Message: "m", Hint: "h", Severity: SeverityWarning}, "f:1:1: warning: m (h) [c]"},
		{"tabs stay", Diagnostic{File: "f", Line: 1, Column: 3, Code: "c", Message: "m", Source: "\t\tx"}, "f:1:3: m [c]\n1 | \t\tx\n  | \t\t^"},
		{"escapes are made visible", Diagnostic{File: "f", Line: 1, Column: 2, Code: "c", Message: "\x1b[31m", Source: "\x1bx\u202e"}, "f:1:2: \ufffd[31m [c]\n1 | \ufffdx\ufffd\n  |  ^"},
		{"beyond the line", Diagnostic{File: "f", Line: 1, Column: 99, Code: "c", Message: "m", Source: "ab", Length: 50}, "f:1:99: m [c]\n1 | ab\n  |   ^"},
		{"wide", Diagnostic{File: "f", Line: 1, Column: 2, Code: "c", Message: "m", Source: "éx", Length: 1}, "f:1:2: m [c]\n1 | éx\n  |  ^"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			if got := tt.d.Render(); got != tt.want {
				t.Errorf("got\n%q, want\n%q", got, tt.want)
			}
		})
	}
}

func TestSorted(t *testing.T) {
	at := func(file string, line, column int) Diagnostic {
		return Diagnostic{File: file, Line: line, Column: column, Message: "m", Severity: SeverityError}
	}
	got := Diagnostics{at("b", 9, 1), at("a", 2, 2), at("b", 1, 2), at("a", 2, 1), at("b", 1, 2)}.sorted()
	want := Diagnostics{at("b", 1, 2), at("b", 9, 1), at("a", 2, 1), at("a", 2, 2)}
	check(t, "order", got, want)
}

func TestSuggestions(t *testing.T) {
	tests := []struct {
		name       string
		candidates []string
		want       string
	}{
		{"biuld", []string{"build", "test"}, `did you mean "build"?`},
		{"titel", []string{"title", "words"}, `did you mean "title"?`},
		{"Prompt", []string{"prompt"}, `did you mean "prompt"?`},
		{"xyz", []string{"b", "a"}, `known: "a", "b"`},
		{"xyz", nil, ""},
	}
	for _, tt := range tests {
		if got := didYouMean(tt.name, tt.candidates); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
