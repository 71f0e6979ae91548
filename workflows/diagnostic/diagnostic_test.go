package diagnostic

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestDiagnosticJSON(t *testing.T) {
	d := Diagnostic{File: "a.yaml", Line: 3, Column: 7, Severity: SeverityError, Code: "key", Message: "m", Hint: "h", Source: "line", Length: 3}
	got, err := json.Marshal(Diagnostics{d})
	const want = `[{"file":"a.yaml","line":3,"column":7,"severity":"error","code":"key","message":"m","hint":"h","length":3}]`
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
		{"nothing to mark", Diagnostic{File: "f", Line: 1, Column: 1, Code: "c", Message: "m", Source: "x", Length: 0}, "f:1:1: m [c]\n1 | x\n  | ^"},
		{"mark to the end", Diagnostic{File: "f", Line: 1, Column: 2, Code: "c", Message: "m", Source: "abc", Length: 9}, "f:1:2: m [c]\n1 | abc\n  |  ^~"},
		{"tab within", Diagnostic{File: "f", Line: 9, Column: 4, Code: "c", Message: "m", Source: "a\tbc", Length: 1}, "f:9:4: m [c]\n9 | a\tbc\n  |  \t ^"},
		{"line breaks in a message", Diagnostic{File: "f", Line: 1, Column: 1, Code: "c", Message: "a\nb", Hint: "c\rd"}, "f:1:1: a\ufffdb (c\ufffdd) [c]"},
		{"no UTF-8", Diagnostic{File: "f", Line: 1, Column: 1, Code: "c", Message: "\xff", Source: "x"}, "f:1:1: \ufffd [c]\n1 | x\n  | ^"},
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

// TestRenderLongLine shows how much of a long line is shown: so much on both
// sides of the position, with the mark under it.
func TestRenderLongLine(t *testing.T) {
	line := strings.Repeat("a", 500) + "HERE" + strings.Repeat("b", 500)
	rendered := strings.Split(Diagnostic{File: "f", Line: 3, Column: 501, Code: "c", Message: "m", Source: line, Length: 4}.Render(), "\n")
	if len(rendered) != 3 || rendered[1] != "3 | "+strings.Repeat("a", excerpt)+"HERE"+strings.Repeat("b", excerpt-4) {
		t.Fatalf("got %q", rendered)
	}
	if want := "  | " + strings.Repeat(" ", excerpt) + "^~~~"; rendered[2] != want {
		t.Errorf("got  %q\nwant %q", rendered[2], want)
	}
	if start := (Diagnostic{File: "f", Line: 3, Column: 2, Code: "c", Message: "m", Source: line, Length: 900}).Render(); len(start) > 3*excerpt+40 {
		t.Errorf("%d characters", len(start))
	}
}

func TestSorted(t *testing.T) {
	at := func(file string, line, column int) Diagnostic {
		return Diagnostic{File: file, Line: line, Column: column, Message: "m", Severity: SeverityError}
	}
	got := Diagnostics{at("b", 9, 1), at("a", 2, 2), at("b", 1, 2), at("a", 2, 1), at("b", 1, 2)}.Sorted()
	want := Diagnostics{at("b", 1, 2), at("b", 9, 1), at("a", 2, 1), at("a", 2, 2)}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
