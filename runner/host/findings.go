package host

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// findings are the diagnostics of checks outside package workflows. A problem at the top of a file
// is found with each of its steps; sorting the diagnostics leaves it once. The zero value is empty.
type findings struct{ found workflows.Diagnostics }

// add keeps a diagnostic.
func (f *findings) add(at workflows.Position, severity workflows.Severity, code, message, hint string) {
	f.keep(at, workflows.Diagnostic{Severity: severity, Code: code, Message: message, Hint: hint})
}

// keep adds a diagnostic.
func (f *findings) keep(at workflows.Position, d workflows.Diagnostic) {
	d.File, d.Line, d.Column = at.File, at.Line, at.Column
	f.found = append(f.found, d)
}

// quoted gives each diagnostic the line that it is about, unless it has one.
func (l *Loaded) quoted(found workflows.Diagnostics) workflows.Diagnostics {
	lines := map[string][]string{} // of the files, by their names in messages
	for i, d := range found {
		if d.Source != "" {
			continue
		}
		if lines[d.File] == nil {
			lines[d.File] = l.linesOf(d.File)
		}
		if d.Line >= 1 && d.Line <= len(lines[d.File]) {
			found[i].Source = strings.TrimRight(lines[d.File][d.Line-1], "\r")
		}
	}
	return found
}

// linesOf returns the lines of a file that was read, by its name in messages; one that is empty if
// it is gone since.
func (l *Loaded) linesOf(shown string) []string {
	i := slices.IndexFunc(l.read, func(path string) bool { return l.origins.NameOf(path) == shown })
	if i < 0 {
		return []string{""}
	}
	data, _ := ReadSource(l.read[i])
	return strings.Split(string(data), "\n")
}
