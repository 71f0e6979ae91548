package report_test

import (
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// Long outputs are shown from where they differ on.
func TestMarkdownShowsWhatDiffers(t *testing.T) {
	long := strings.Repeat("the same ", 50)
	c := &view.Comparison{
		Before: &view.Measured{Workflow: "notes"}, After: &view.Measured{Workflow: "notes"},
		Outputs: []view.Difference{{Name: "long", Before: long + "tea", After: long + "coffee"}, {Name: "short", Before: "tea", After: "coffee"}},
	}
	got := report.Markdown(c)
	for _, want := range []string{"same tea` |", "same coffee` |", "| `tea` | `coffee` |"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}
