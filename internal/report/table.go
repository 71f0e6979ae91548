package report

import (
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/columns"
)

// A page has the lines of a report.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *page) lines(all []string) {
	for _, line := range all {
		p.line("%s", line)
	}
}

// A table has rows of cells, which it aligns in columns.
type table [][]string

func (t *table) row(cells ...string) { *t = append(*t, cells) }

// String returns a line for each row.
func (t table) String() string { return t.within(0) }

// within cuts lines at so many columns of a terminal; 0 is any number.
func (t table) within(wide int) string {
	var p page
	p.lines(t.lines(wide))
	return p.String()
}

func (t table) lines(wide int) (lines []string) {
	var widths []int
	for _, row := range t {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], columns.Of(cell))
		}
	}
	for _, row := range t {
		line := ""
		for i, cell := range row {
			line += columns.Pad(cell, widths[i]) + "  "
		}
		if line = strings.TrimRight(line, " "); wide > 0 {
			line = columns.Fit(line, wide)
		}
		lines = append(lines, line)
	}
	return lines
}
