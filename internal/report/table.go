package report

import (
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/columns"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A page has the lines of a report.
type page struct {
	strings.Builder
	hinted map[string]bool // hints that were given
}

// line writes a line, without blanks at its end.
func (p *page) line(format string, args ...any) {
	p.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

func (p *page) lines(all []string) {
	for _, line := range all {
		p.line("%s", line)
	}
}

// failure writes an error on a line and, the first time, its hint. Whole adds the end of a long
// message.
func (p *page) failure(indent, where string, e *steps.Error, whole bool) {
	e = Hinted(e)
	said := []string{view.Shortest(e.Message)}
	if whole {
		said = view.FailureLines(&runner.Failure{Error: *e}, false)
	}
	p.line("%s%s%s (%s)", indent, where, said[0], term.Visible(e.Kind.Words()))
	p.lines(said[1:])
	if e.Hint != "" && !p.hinted[e.Hint] {
		if p.hinted == nil {
			p.hinted = map[string]bool{}
		}
		p.hinted[e.Hint] = true
		p.line("%shint: %s", indent, view.Brief(e.Hint))
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
