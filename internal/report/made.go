package report

import (
	"github.com/a-seed-11b9befa/flow/internal/scaffold"
	"github.com/a-seed-11b9befa/flow/internal/term"
)

// Kinds lists the kinds of new workflows.
func Kinds() string {
	var t table
	for _, k := range scaffold.Kinds() {
		t.row("  "+k.Name, k.About)
	}
	return t.String()
}

// Made lists what was written for a new workflow in a folder.
func Made(made *scaffold.Made, dir string) string {
	var p page
	for _, file := range made.Written {
		p.line("wrote %s", term.Visible(file))
	}
	for _, file := range made.Kept {
		p.line("kept %s, which was there", term.Visible(file))
	}
	if made.Module != "" {
		p.line("not written: samples and their test (the folder has a module of its own: %s)", made.Module)
	}
	if dir != "." {
		p.line("next: cd %s", term.Visible(dir))
	}
	return p.String()
}
