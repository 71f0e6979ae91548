package ci

import (
	"fmt"
	"io"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
)

// mostAnnotations is how many annotations of one level GitHub shows of a step.
const mostAnnotations = 10

// writeAnnotations writes the workflow commands of GitHub Actions that annotate a job: first the
// failures, then the findings, at most ten of a level.
func (r *Report) writeAnnotations(w io.Writer) error {
	var b strings.Builder
	left := map[string]int{"error": mostAnnotations, "warning": mostAnnotations, "notice": mostAnnotations}
	annotate := func(level, properties, message string) {
		if left[level] > 0 {
			left[level]--
			fmt.Fprintf(&b, "::%s %s::%s\n", level, properties, escapeData(r.text(message)))
		}
	}
	err := r.units(func(u unit) error {
		if u.bad() {
			annotate("error", "title="+escapeProperty(r.line(u.name)), term.Shorten(u.why(), mostMessage))
		}
		return nil
	})
	for _, f := range r.Findings {
		annotate(noticeLevel(f.Severity), r.position(f), term.Shorten(f.Message, mostMessage))
	}
	if _, werr := io.WriteString(w, b.String()); err == nil {
		err = werr
	}
	return err
}

// position says where a finding is, as properties of an annotation.
func (r *Report) position(f runner.Finding) string {
	properties := []string{"title=" + escapeProperty(r.line(f.Rule))}
	if f.Rule == "" {
		properties = []string{"title=finding"}
	}
	if f.File != "" {
		properties = append(properties, "file="+escapeProperty(f.File))
		if f.Line > 0 {
			properties = append(properties, fmt.Sprintf("line=%d,endLine=%d", f.Line, f.End))
		}
	}
	return strings.Join(properties, ",")
}

// noticeLevel is a severity as GitHub calls it.
func noticeLevel(severity string) string {
	if severity == "note" {
		return "notice"
	}
	return severity
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
