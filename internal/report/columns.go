package report

import (
	"io"
	"strings"
	"text/tabwriter"
)

// columns are the rows that write writes, a line each with tabs between its cells.
func columns(write func(to io.Writer)) string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	write(t)
	t.Flush() // a Builder takes everything
	return b.String()
}
