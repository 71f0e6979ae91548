package report

import (
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/columns"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// running shows the running units on a third of the terminal's rows. It shows nothing on a
// terminal with few rows, which would scroll a part of it out of reach.
func (p *Progress) running(now time.Time, wide, rows int) []string {
	const fewest = 6 // two units, the others, all, and the line below
	if rows < fewest {
		return nil
	}
	return runningLines(p.Running(), p.Counts, p.Began, now, max(rows/3, 2), wide)
}

// runningLines lists the running units, up to a maximum, and the counts of the whole run. The
// lines fit into so many columns; 0 is any number.
func runningLines(units []*view.Unit, all view.Counts, began, now time.Time, most, wide int) []string {
	var rows []row
	for _, unit := range units[:min(len(units), most)] {
		rows = append(rows, rowOf(unit, now))
	}
	more := len(units) - len(rows)
	if len(units) > 1 {
		rows = append(rows, row{name: "all", took: took(began, now), counts: inBrackets(all)})
	}
	width := nameWidth(rows, wide)
	var lines []string
	for i, r := range rows {
		if more > 0 && i == len(rows)-1 {
			lines = append(lines, fmt.Sprintf("  … and %d more", more))
		}
		lines = append(lines, r.text(width, wide))
	}
	return lines
}

// A row is a running unit.
type row struct {
	name, took string
	doing      string // what it does now, which may be cut
	numbers    string // how far it is
	counts     string
}

func rowOf(unit *view.Unit, now time.Time) row {
	r := row{name: unit.Name(), took: took(unit.Began, now), counts: inBrackets(unit.Counts)}
	if doing := unit.Doing(now); unit.Elements != nil {
		r.numbers = " " + doing
	} else if doing != "" {
		r.doing = " " + doing
	}
	return r
}

func took(began, now time.Time) string {
	if began.IsZero() {
		began = now
	}
	return " " + columns.Pad(view.Took(now.Sub(began)), 6)
}

func inBrackets(counts view.Counts) string {
	if text := counts.String(); text != "" {
		return " (" + text + ")"
	}
	return ""
}

// nameWidth returns how many columns the names of all rows get. They leave room for the numbers.
func nameWidth(rows []row, wide int) int {
	const short, usual, long = 8, 24, 48
	width := usual
	for _, r := range rows {
		width = min(max(width, columns.Of(r.name)), long)
	}
	if wide > 0 {
		for _, r := range rows {
			width = max(min(width, wide-columns.Of("  "+r.took+r.numbers+r.counts)), short)
		}
	}
	return width
}

// text returns the row. It cuts what the unit does now, so that the counts behind it are seen.
func (r row) text(width, wide int) string {
	head := "  " + columns.Pad(columns.Fit(r.name, width), width) + r.took + r.numbers
	if wide == 0 {
		return head + r.doing + r.counts
	}
	const least = 4 // columns of what the unit does
	doing := ""
	if room := wide - columns.Of(head+r.counts); room >= least {
		doing = columns.Fit(r.doing, room)
	}
	return head + doing + r.counts
}
