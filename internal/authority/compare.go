package authority

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
)

// A Difference is a line of what a workflow may do that is new or gone, or a changed file.
type Difference struct {
	Sign  string // "+" is new, "-" is gone, "~" is changed
	What  string
	Wider bool // it may do what it could not do before
}

// MayDoMore marks a line of a difference that is wider.
const MayDoMore = "(may do more)"

// String is the difference as a line.
func (d Difference) String() string {
	text := map[string]string{"+": "new: ", "-": "removed: ", "~": "changed: "}[d.Sign] + d.What
	if d.Wider {
		text += " " + MayDoMore
	}
	return text
}

// Compare lists the lines that are new, each of which is wider, and those that are gone. As a line has
// its limits, a limit that goes makes a new line. The old lines may be those of a file that others
// have written.
func Compare(old, now []string) (all []Difference) {
	for _, line := range now {
		if !slices.Contains(old, line) {
			all = append(all, Difference{"+", term.Visible(line), true})
		}
	}
	for _, line := range old {
		if !slices.Contains(now, line) {
			all = append(all, Difference{"-", term.Visible(line), false})
		}
	}
	slices.SortStableFunc(all, func(a, b Difference) int { return strings.Compare(a.What, b.What) })
	return slices.Compact(all)
}
