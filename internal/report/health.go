package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Health writes what a machine has of what workflows need.
func Health(to io.Writer, h host.Health) error {
	fmt.Fprintf(to, "Models' commands: %s\n", levelWords[h.Level])
	for _, why := range h.WhyNot {
		fmt.Fprintf(to, "  not %s\n", term.Visible(why))
	}
	fmt.Fprintln(to)
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, part := range h.Parts {
		state := part.State
		if part.Needed && state == host.PartMissing {
			state = "MISSING"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", part.Area, term.Visible(part.Name), state, term.Visible(part.Detail))
	}
	return t.Flush()
}

// levelWords say what each level means.
var levelWords = map[string]string{
	string(workflows.LevelHeld):     "held: what they did is judged before it lands",
	string(workflows.LevelLandlock): "landlock: the kernel keeps their writes to folders",
	host.LevelNone:                  "none: they are judged by their words alone",
}
