package ci

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// The limits of a summary.
const (
	maxSummary  = 1 << 20 // bytes, as GitHub takes them for a step
	maxFindings = 200
	maxInvalid  = 5       // invalid findings
	maxOutputs  = 50      // outputs of the run
	maxCell     = 300     // characters of a text in a table
	maxText     = 10_000  // characters of an output of several lines
	maxShown    = 200_000 // characters of what flow show prints
)

const cutNote = "\n… cut here: the rest is in the run's folder.\n"

// A summary is the text of one, as Markdown.
type summary struct {
	*Report
	strings.Builder
}

func (s *summary) add(format string, args ...any) { fmt.Fprintf(s, format, args...) }

// WriteSummary writes the run as Markdown: its status, what flow show prints of it, its outputs, and
// the findings.
func (r *Report) WriteSummary(w io.Writer) error {
	shown, err := r.Shown()
	if err != nil {
		return err
	}
	s := &summary{Report: r}
	run, word := s.Result, view.End(s.Result).Word
	sign := mark(run.Status)
	if run.Status == steps.Succeeded && word != string(run.Status) {
		sign = mark(steps.Stopped)
	}
	s.add("## %s %s: %s\n\n%s\n", sign, s.markdown(run.Workflow.Name), s.markdown(word), s.fenced(strings.TrimSpace(shown), maxShown))
	s.outputs()
	s.findings()
	text := s.String()
	if len(text) > maxSummary {
		cut := maxSummary - len(cutNote) - 1
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "\n" + cutNote
	}
	_, err = io.WriteString(w, text)
	return err
}

// list adds the first ones of many, and how many more there are.
func list[T any](s *summary, all []T, limit int, add func(one T)) {
	for _, one := range all[:min(len(all), limit)] {
		add(one)
	}
	if more := len(all) - limit; more > 0 {
		s.add("\nand %d more\n", more)
	}
	s.add("\n")
}

// outputs is a line for each output of the run. The line shows the beginning of a long value; a text
// of several lines stands under the table.
func (s *summary) outputs() {
	all := s.Result.Outputs
	if len(all) == 0 {
		return
	}
	s.add("| output | value |\n|---|---|\n")
	list(s, all, maxOutputs, func(output runner.NamedValue) {
		value := s.markdown(term.Shorten(runner.Text(output.Value), maxMessage))
		if _, long := severalLines(output.Value); long {
			value = "see below"
		}
		s.add("| %s | %s |\n", s.markdown(output.Name), value)
	})
	for _, output := range all[:min(len(all), maxOutputs)] {
		if text, long := severalLines(output.Value); long {
			s.add("#### %s\n\n%s\n", s.markdown(output.Name), s.fenced(text, maxText))
		}
	}
}

// severalLines returns the text of a value, and whether it has several lines.
func severalLines(value any) (string, bool) {
	text, isText := value.(string)
	text = strings.TrimRight(text, "\r\n")
	return text, isText && strings.Contains(text, "\n")
}

// fenced is a text as a quoted block of code, in which nothing of it is markup and no line of it
// begins a line of the summary. A long one is cut, with a note.
func (r *Report) fenced(text string, limit int) string {
	note := ""
	text = r.text(text) // before it is cut, which could cut a secret
	if runes := []rune(text); len(runes) > limit {
		text, note = string(runes[:limit]), cutNote
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	block := fence + "\n" + text + "\n" + fence
	return "> " + strings.ReplaceAll(block, "\n", "\n> ") + "\n" + note
}

// findings lists the invalid findings, and then the others.
func (s *summary) findings() {
	if len(s.Invalid) > 0 {
		s.add("### Invalid findings\n\n")
		list(s, s.Invalid, maxInvalid, func(err error) { s.add("- %s\n", s.markdown(err.Error())) })
	}
	if len(s.Findings) == 0 {
		return
	}
	s.add("### %s\n\n", quantity.Count(len(s.Findings), "finding"))
	if s.Unfound != "" {
		s.add("Findings may be missing: %s.\n\n", s.markdown(s.Unfound))
	}
	s.add("| | where | what |\n|---|---|---|\n")
	list(s, s.Findings, maxFindings, func(f runner.Finding) {
		where := s.line(f.File)
		if f.File != "" && f.Line > 0 {
			where = fmt.Sprintf("%s:%d", where, f.Line)
		}
		s.add("| %s | %s | %s |\n", f.Severity, s.markdown(where), s.markdown(term.Shorten(f.Message, maxCell)))
	})
}

// escaper escapes the characters that are markup, HTML, a link or a mention of somebody.
var escaper = strings.NewReplacer(
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "@", "&#64;", "://", "&#58;//",
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "{", `\{`, "}", `\}`, "[", `\[`, "]", `\]`,
	"(", `\(`, ")", `\)`, "#", `\#`, ".", `\.`, "!", `\!`, "|", `\|`, "~", `\~`, "$", `\$`,
)

// markdown escapes a text, on one line, so that Markdown shows it literally.
func (r *Report) markdown(text string) string { return escaper.Replace(r.line(text)) }

func mark(status steps.Status) string {
	switch status {
	case steps.Succeeded:
		return "✅"
	case steps.Cancelled:
		return "⏹️"
	case steps.Stopped:
		return "⚠️"
	case steps.Waiting:
		return "⏳"
	}
	return "❌"
}
