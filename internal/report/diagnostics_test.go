package report_test

import (
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/workflows"
)

func TestPaintedDiagnostic(t *testing.T) {
	d := workflows.Diagnostic{
		File: "a.yaml", Line: 3, Column: 2, Severity: workflows.SeverityError, Code: "key",
		Message: "unknown key", Source: " stpes:", Length: 5,
	}
	found := workflows.Diagnostics{d}
	plain, colored := report.Diagnostics(found, term.Painter{}), report.Diagnostics(found, term.Painter{On: true})
	if plain != d.Render()+"\n" {
		t.Errorf("plain: %q", plain)
	}
	if !strings.HasPrefix(colored, "\x1b[1ma.yaml:3:2\x1b[0m: ") || !strings.Contains(colored, "\x1b[32m") {
		t.Errorf("coloured: %q", colored)
	}
	var bare strings.Builder
	for rest := colored; rest != ""; {
		before, after, found := strings.Cut(rest, "\x1b[")
		bare.WriteString(before)
		rest = ""
		if found {
			_, rest, _ = strings.Cut(after, "m")
		}
	}
	if bare.String() != plain {
		t.Errorf("without its colours: %q, want %q", bare.String(), plain)
	}
}
