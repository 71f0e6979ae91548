// Package diagnostic describes mistakes in files: where each is, what is wrong, and what
// was most likely meant.
//
// A [Diagnostic] prints as one line, or with the line of the file under it.
package diagnostic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/columns"
)

// Severity says whether a diagnostic stops a workflow from running.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// A Diagnostic is one mistake in a file. As JSON it is what `flow validate --output json`
// prints.
type Diagnostic struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Severity Severity `json:"severity"`
	Code     string   `json:"code"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint"` // what to write instead stands behind "write", up to a semicolon, or in "did you mean …?"

	Length int `json:"length,omitempty"` // characters to mark from Column on; 0 is one

	Option string `json:"-"` // the option of a run that would mend it, too, which programs name in their own words; "": none
	Source string `json:"-"` // the text of the line
}

// OfFile returns an error that is about a file as a whole.
func OfFile(file, code, message string) Diagnostic {
	return Diagnostic{File: file, Line: 1, Column: 1, Severity: SeverityError, Code: code, Message: message}
}

// The codes are stable names for kinds of mistakes.
const (
	CodeSyntax     = "syntax"     // no YAML, or more of it than may be
	CodeKey        = "key"        // unknown, missing, duplicate or misplaced keys
	CodeValue      = "value"      // a value of the wrong type, or out of its range
	CodeID         = "id"         // step ids
	CodeNeeds      = "needs"      // what a step waits for
	CodeExpression = "expression" // syntax, names and types of expressions
	CodeReference  = "reference"  // steps that can't have ended by then
	CodeShell      = "shell"      // a run string that is no safe script
	CodeTool       = "tool"       // tools and their arguments
	CodeSchema     = "schema"     // JSON Schemas and what must fit them
	CodeFile       = "file"       // files that a workflow names
	CodeUses       = "uses"       // workflows used by path
	CodePermission = "permission" // rules
	CodeModel      = "model"      // model references: configuration
	CodeScript     = "script"     // scripted models that are missing: configuration
	CodeAbility    = "ability"    // what a step asks of a model that can't do it
	CodeWorkspace  = "workspace"  // the folder to work in
	CodeGrant      = "grant"      // what a recipe asks for and is not granted
	CodeSandbox    = "sandbox"    // what the system lacks for the sandbox: configuration
)

// Configuration reports whether the mistake is in the caller's set-up, such as an unknown
// model or a missing sandbox, rather than in the language. If all are, a program exits
// with another code.
func (d Diagnostic) Configuration() bool {
	return d.Code == CodeModel || d.Code == CodeScript || d.Code == CodeSandbox
}

// Position is the place of the mistake.
func (d Diagnostic) Position() Position {
	return Position{File: d.File, Line: d.Line, Column: d.Column}
}

// String returns the diagnostic as one line:
//
//	review.yaml:14:7: no step "lnt" (did you mean "lint"?) [needs]
func (d Diagnostic) String() string {
	var b strings.Builder
	b.WriteString(d.Position().String())
	b.WriteString(": ")
	if d.Severity == SeverityWarning {
		b.WriteString("warning: ")
	}
	b.WriteString(d.Message)
	if d.Hint != "" {
		fmt.Fprintf(&b, " (%s)", d.Hint)
	}
	fmt.Fprintf(&b, " [%s]", d.Code)
	return Visible(b.String())
}

const excerpt = 80 // characters of a long line that are shown on each side of the position

// Render returns [Diagnostic.String], and under it the source line with a mark under the
// place, without a newline at the end. Long lines are shortened and control characters
// made visible.
func (d Diagnostic) Render() string {
	if d.Source == "" {
		return d.String()
	}
	line := []rune(d.Source)
	column := min(max(d.Column-1, 0), len(line))
	from, to := max(0, column-excerpt), min(len(line), column+excerpt)
	length := min(max(d.Length, 1), max(to-column, 1))
	gutter := fmt.Sprintf("%d | ", d.Line)

	var b strings.Builder
	b.WriteString(d.String())
	fmt.Fprintf(&b, "\n%s%s", gutter, Visible(string(line[from:to])))
	fmt.Fprintf(&b, "\n%*s%s", len(gutter), "| ", blank(line[from:column]))
	marked := columns.Of(Visible(string(line[column:min(column+length, len(line))])))
	b.WriteString("^" + strings.Repeat("~", max(marked, length)-1))
	return b.String()
}

// blank replaces the characters of a text by spaces, except for tabs.
func blank(text []rune) string {
	var b strings.Builder
	for _, r := range Visible(string(text)) {
		if r == '\t' {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Repeat(" ", columns.Of(string(r))))
		}
	}
	return b.String()
}

// Visible replaces each character that would control a terminal or is not visible there by
// one that is, so that columns stay the same.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && columns.Hidden(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// Diagnostics are the mistakes in one or more files.
type Diagnostics []Diagnostic

// HasErrors reports whether any of them is an error rather than a warning.
func (ds Diagnostics) HasErrors() bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Severity == SeverityError })
}

// Configuration reports whether there are errors, for all of which
// [Diagnostic.Configuration] is true.
func (ds Diagnostics) Configuration() bool {
	for _, d := range ds {
		if d.Severity == SeverityError && !d.Configuration() {
			return false
		}
	}
	return ds.HasErrors()
}

// ErrorKind returns the kind of the diagnostics as an error of a run: configuration, if that
// is all that is wrong, or invalid_workflow.
func (ds Diagnostics) ErrorKind() string {
	if ds.Configuration() {
		return "configuration"
	}
	return "invalid_workflow"
}

// Error returns the diagnostics, a line each. Check [Diagnostics.HasErrors] before
// returning diagnostics as an error.
func (ds Diagnostics) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

// Sorted returns the diagnostics by file, in the order of the first one in each, then by
// position, without duplicates. It sorts ds itself.
func (ds Diagnostics) Sorted() Diagnostics {
	files := map[string]int{}
	for _, d := range ds {
		if _, known := files[d.File]; !known {
			files[d.File] = len(files)
		}
	}
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(files[a.File], files[b.File]),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Severity, b.Severity),
		)
	})
	return slices.CompactFunc(ds, func(a, b Diagnostic) bool {
		return a.Position() == b.Position() && a.Message == b.Message && a.Severity == b.Severity
	})
}
