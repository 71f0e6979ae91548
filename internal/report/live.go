package report

import (
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/columns"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// running shows the running units on a third of the terminal's rows. It shows nothing on a
// terminal with few rows, which would scroll a part of it out of reach.
func (p *Progress) running(now time.Time, rows int) []string {
	const fewest = 6 // two units, the others, all, and the line below
	if rows < fewest {
		return nil
	}
	return standing(p.Running(), p.Counts, p.Began, now, max(rows/3, 2))
}

// standing lists the running units, up to a maximum, and the counts of the whole run.
func standing(units []*view.Unit, all view.Counts, began, now time.Time, most int) []string {
	shown, width := units[:min(len(units), most)], 24
	for _, unit := range shown {
		width = min(max(width, len(unit.Name())), 48)
	}
	var lines []string
	for _, unit := range shown {
		wide := width
		if unit.Elements != nil { // how far it is takes the place of a long name
			wide = min(max(len(unit.Name()), 16), width)
		}
		lines = append(lines, row(unit.Name(), wide, unit.Began, now, unit.Doing(now), unit.Counts))
	}
	if more := len(units) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("  … and %d more", more))
	}
	if len(units) > 1 {
		lines = append(lines, row("all", width, began, now, "", all))
	}
	return lines
}

// row is one unit: its time, what it does, and its counts.
func row(name string, width int, began, now time.Time, doing string, counts view.Counts) string {
	var since time.Duration
	if !began.IsZero() {
		since = now.Sub(began)
	}
	row := "  " + columns.Pad(columns.Fit(name, width), width) + " " + columns.Pad(view.Took(since), 6)
	if doing != "" {
		row += " " + doing
	}
	if counts := counts.String(); counts != "" {
		row += " (" + counts + ")"
	}
	return row
}
