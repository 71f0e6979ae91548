package report

import (
	"io"
	"strings"
	"text/tabwriter"
)

// table aligns the rows that write writes: a line each, with tabs between the cells.
func table(write func(to io.Writer)) string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	write(t)
	t.Flush() // a Builder returns no error
	return b.String()
}
