package reach

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// TestFiles: which files the parts of a command write and read by their words, and
// what can't be told. Not everything that a word may name is a file.
func TestFiles(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"docs/a.md", "docs/b.md", "src/x/y.go"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(top, file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(top, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rules := Rulings{
		Roots:           place.Roots{Workspace: top, WorkspaceGiven: top},
		Unwritable:      func(string, place.Path) string { return "" },
		UnwritableWhole: func(string) string { return "" },
		DeniesWrites:    true,
	}
	for command, want := range map[string]string{
		"echo x > docs/c":               "writes docs/c",
		"touch a b":                     "writes a b",
		"rm -r src":                     "writes src/x | src/x src/x/y.go",
		"cp docs/a.md src":              "writes src/a.md src/x",
		"cp docs/a.md docs/c":           "writes docs/c",
		"mv docs/*.md src":              "writes src/a.md src/b.md src/x | src/x src/x/y.go ? not known",
		"tar xf a.tgz":                  "writes x",
		"sort -o docs/c docs/a.md":      "may write docs/c",
		"cd docs && touch c":            "writes docs/c",
		"ln -s docs/a.md l; cat l":      "writes l ! it leads through",
		"cp docs/a.md c; cat c":         "writes c",
		"git checkout x; cat docs/a.md": "? unseen docs/a.md",
	} {
		parts, _, why := Analyze(rules, command, top)
		var out []string
		for _, p := range parts {
			out = append(out, written(p)...)
		}
		if got := strings.Join(out, " "); why != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s\n got %q (%s)\nwant %q", command, got, why, want)
		}
	}
}

func written(p *Part) (out []string) {
	for i, t := range p.Writes {
		switch {
		case t.Below:
			out = append(out, "|")
			for _, at := range t.Places {
				out = append(out, at.Rel)
			}
		case i == 0:
			out = append(out, "writes", t.At.Rel)
		default:
			out = append(out, t.At.Rel)
		}
	}
	for _, file := range p.Outs {
		out = append(out, "may write", file[0].At.Rel)
	}
	for _, r := range p.Risks() {
		if strings.Contains(r.Why, "a file that it writes is not known") {
			out = append(out, "? not known")
		}
	}
	for _, x := range p.Reads {
		if x.Unseen {
			out = append(out, "? unseen", x.Text)
		}
	}
	if p.Unsure != "" {
		out = append(out, "!", p.Unsure)
	}
	return out
}
