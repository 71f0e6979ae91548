package report

import (
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/columns"
	"github.com/a-seed-11b9befa/flow/internal/scaffold"
	"github.com/a-seed-11b9befa/flow/internal/term"
)

// Kinds lists the kinds of new workflows.
func Kinds() string {
	var b strings.Builder
	for _, k := range scaffold.Kinds() {
		fmt.Fprintf(&b, "  %s %s\n", columns.Pad(k.Name, 18), k.About)
	}
	return b.String()
}

// Made lists what was written for a new workflow in a folder.
func Made(made *scaffold.Made, dir string) string {
	var b strings.Builder
	for _, file := range made.Written {
		fmt.Fprintf(&b, "wrote %s\n", term.Visible(file))
	}
	for _, file := range made.Kept {
		fmt.Fprintf(&b, "kept %s, which was there\n", term.Visible(file))
	}
	if len(made.Ignore) > 0 {
		fmt.Fprintf(&b, "add to .gitignore: %s\n", strings.Join(made.Ignore, " "))
	}
	if dir != "." {
		fmt.Fprintf(&b, "next: cd %s\n", term.Visible(dir))
	}
	return b.String()
}
