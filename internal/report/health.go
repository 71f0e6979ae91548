package report

import (
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
	var p page
	p.line("Models' commands: %s", levelWords[h.Level])
	for _, why := range h.WhyNot {
		p.line("  not %s", term.Visible(why))
	}
	var t table
	for _, part := range h.Parts {
		t.row(part.Area, term.Visible(part.Name), string(part.State), term.Visible(part.Detail))
	}
	return p.String() + "\n" + t.String()
}

// levelWords say what each level means.
var levelWords = map[string]string{
	string(workflows.LevelHeld):     "held: changes are checked before they reach the workspace",
	string(workflows.LevelLandlock): "landlock: the kernel limits their writes to allowed folders",
	host.LevelNone:                  "none: only the permission rules limit them",
}
