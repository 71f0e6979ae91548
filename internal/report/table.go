package report

import (
	"bytes"
	"io"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/columns"
)

// table aligns the rows that write writes: a line each, with tabs between the cells.
func table(write func(to io.Writer)) string { return tableIn(0, write) }

// tableIn is table within so many columns: longer lines are cut. 0 is any number of columns.
func tableIn(wide int, write func(to io.Writer)) string {
	var written bytes.Buffer
	write(&written)
	var rows [][]string
	var widths []int
	for line := range strings.Lines(written.String()) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], columns.Of(cell))
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += columns.Pad(cell, widths[i]) + "  "
		}
		if line = strings.TrimRight(line, " "); wide > 0 {
			line = columns.Fit(line, wide)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
