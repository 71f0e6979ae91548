package report

import (
	"fmt"
	"io"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Diagnosis is what a machine has of what workflows need, as JSON.
type Diagnosis struct {
	Version int `json:"version"`
	host.Health
}

// Health is what a machine has of what workflows need.
func Health(h host.Health) string {
	head := fmt.Sprintf("Models' commands: %s\n", levelWords[h.Level])
	for _, why := range h.WhyNot {
		head += fmt.Sprintf("  not %s\n", term.Visible(why))
	}
	return head + "\n" + table(func(to io.Writer) {
		for _, part := range h.Parts {
			fmt.Fprintf(to, "%s\t%s\t%s\t%s\n", part.Area, term.Visible(part.Name), part.State, term.Visible(part.Detail))
		}
	})
}

// levelWords say what each level means.
var levelWords = map[string]string{
	string(workflows.LevelHeld):     "held: changes are checked before they reach the workspace",
	string(workflows.LevelLandlock): "landlock: the kernel limits their writes to allowed folders",
	host.LevelNone:                  "none: only the permission rules limit them",
}
