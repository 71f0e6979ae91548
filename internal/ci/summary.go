package ci

import (
	_ "embed"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// maxSummary is how long a summary may be, in bytes, as GitHub takes them for a step.
const maxSummary = 1 << 20

const cutNote = "\n… cut here: the rest is in the run's folder.\n"

//go:embed summary.tmpl
var summaryText string

// WriteSummary writes the run as Markdown: its status, what flow show prints of it, its outputs, and
// the findings.
func (r *Report) WriteSummary(w io.Writer) error {
	shown, err := r.Shown()
	if err != nil {
		return err
	}
	summary := struct {
		*Report
		Sign, Word, Shown string
	}{r, mark(r.Result.Status), view.End(r.Result).Word, strings.TrimSpace(shown)}
	if r.Result.Status == steps.Succeeded && summary.Word != string(steps.Succeeded) { // in part
		summary.Sign = mark(steps.Stopped)
	}
	var b strings.Builder
	form := template.Must(template.New("summary").Funcs(template.FuncMap{
		"markdown": r.markdown, "fenced": r.fenced, "short": term.Shorten, "text": runner.Text, "lines": severalLines, "first": first, "more": more,
		"count": func(all []runner.Finding) string { return quantity.Count(len(all), "finding") },
		"where": where,
	}).Parse(summaryText))
	if err := form.Execute(&b, summary); err != nil {
		return err
	}
	text := b.String()
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

// first returns the first ones of a list, and more how many others there are.
func first(list any, limit int) any {
	all := reflect.ValueOf(list)
	return all.Slice(0, min(all.Len(), limit)).Interface()
}

func more(list any, limit int) int { return max(reflect.ValueOf(list).Len()-limit, 0) }

// severalLines returns a text of several lines; "" for any other value.
func severalLines(value any) string {
	text, _ := value.(string)
	if text = strings.TrimRight(text, "\r\n"); strings.Contains(text, "\n") {
		return text
	}
	return ""
}

// where is the place of a finding.
func where(f runner.Finding) string {
	if f.Line > 0 {
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return f.File
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
