package ci

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// maxAnnotations is how many annotations of one level GitHub shows of a step.
const maxAnnotations = 10

// annotations collects the workflow commands of GitHub Actions that annotate a job.
type annotations struct {
	text strings.Builder
	used map[string]int // how many, by their level
}

func newAnnotations() *annotations { return &annotations{used: map[string]int{}} }

func (a *annotations) add(level, properties, message string) {
	if a.used[level]++; a.used[level] <= maxAnnotations {
		fmt.Fprintf(&a.text, "::%s %s::%s\n", level, properties, escapeData(message))
	}
}

// writeAnnotations annotates the failures, and then the findings.
func (r *Report) writeAnnotations(w io.Writer) error {
	a := newAnnotations()
	for u, err := range r.units() {
		if err != nil {
			return err
		}
		level := "error"
		if u.continued {
			level = "warning"
		}
		if u.bad() {
			a.add(level, "title="+escapeProperty(r.line(u.name)), r.text(term.Shorten(u.why(), maxMessage)))
		}
	}
	for _, f := range r.Findings {
		level := f.Severity
		if level == "note" {
			level = "notice"
		}
		a.add(level, r.position(f), r.text(term.Shorten(f.Message, maxMessage)))
	}
	_, err := io.WriteString(w, a.text.String())
	return err
}

// WriteMistakes writes the workflow commands of GitHub Actions that annotate mistakes in workflow
// files at their lines. GitHub takes paths that start at the repository, which is at root.
func WriteMistakes(w io.Writer, found workflows.Diagnostics, root string) error {
	a := newAnnotations()
	for _, d := range found {
		file := d.File
		if at, err := filepath.Abs(file); err == nil {
			if inside, err := filepath.Rel(root, at); err == nil && filepath.IsLocal(inside) {
				file = inside
			}
		}
		message := d.Message
		if d.Hint != "" {
			message += " (" + d.Hint + ")"
		}
		properties := fmt.Sprintf("title=%s,file=%s,line=%d,col=%d", escapeProperty(d.Code), escapeProperty(term.Visible(filepath.ToSlash(file))), d.Line, d.Column)
		a.add(string(d.Severity), properties, term.VisibleLines(term.Shorten(message, maxMessage)))
	}
	_, err := io.WriteString(w, a.text.String())
	return err
}

// position says where a finding is, as properties of an annotation.
func (r *Report) position(f runner.Finding) string {
	properties := "title=" + escapeProperty(r.line(cmp.Or(f.Rule, "finding")))
	if f.File != "" {
		properties += ",file=" + escapeProperty(f.File)
	}
	if f.File != "" && f.Line > 0 {
		properties += fmt.Sprintf(",line=%d,endLine=%d", f.Line, f.End)
	}
	return properties
}

// escapeData and escapeProperty escape as GitHub's toolkit does
// (actions/toolkit, packages/core/src/command.ts).
func escapeData(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func escapeProperty(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}

// writeMasks writes the workflow commands that hide values in the job's log. Each line of a
// value is hidden by itself, as GitHub reads lines.
func writeMasks(w io.Writer, values []string) error {
	var b strings.Builder
	for _, value := range values {
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); len(line) >= 6 {
				b.WriteString("::add-mask::" + escapeData(line) + "\n")
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
