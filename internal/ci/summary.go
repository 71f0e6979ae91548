package ci

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// The limits of a summary.
const (
	maxSummary  = 1 << 20 // bytes, as GitHub takes them for a step
	maxFailures = 50      // units that failed, and questions that wait
	maxFindings = 200
	maxInvalid  = 5      // invalid findings
	maxOutputs  = 50     // outputs of the run
	maxCell     = 300    // characters of a text in a table
	maxText     = 10_000 // characters of an output of several lines
)

const cutNote = "\n… cut here: the rest is in the run's folder.\n"

// A summary is the text of one, as Markdown.
type summary struct {
	*Report
	strings.Builder
}

func (s *summary) add(format string, args ...any) { fmt.Fprintf(s, format, args...) }

// WriteSummary writes the run as Markdown: its status and cost, the failures with their reasons,
// its outputs, a table of the steps, and the findings.
func (r *Report) WriteSummary(w io.Writer) error {
	s := &summary{Report: r}
	s.heading()
	s.waits()
	if err := s.failures(); err != nil {
		return err
	}
	s.outputs()
	s.steps()
	s.findings()
	text := s.String()
	if len(text) > maxSummary {
		cut := maxSummary - len(cutNote) - 1
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "\n" + cutNote
	}
	_, err := io.WriteString(w, text)
	return err
}

// list adds the first ones of many, and how many more there are.
func list[T any](s *summary, all []T, limit int, add func(one T)) {
	for _, one := range all[:min(len(all), limit)] {
		add(one)
	}
	s.more(len(all) - limit)
}

// more ends a list or a table.
func (s *summary) more(n int) {
	if n > 0 {
		s.add("\nand %d more\n", n)
	}
	s.add("\n")
}

// heading is the outcome of the run.
func (s *summary) heading() {
	run, word := s.Result, view.End(s.Result).Word
	sign := mark(run.Status)
	if run.Status == steps.Succeeded && word != string(run.Status) {
		sign = mark(steps.Stopped)
	}
	spent := view.Spent(run)
	if len(run.Unpriced) > 0 {
		spent += ", " + view.NoPrice(run.Unpriced)
	}
	s.add("## %s %s: %s\n\nTook %s", sign, s.markdown(run.Workflow.Name), s.markdown(word), s.markdown(spent))
	if s.Folder != "" {
		s.add(". Run folder: %s", code(s.line(s.Folder)))
	}
	s.add("\n\n")
}

// waits lists the questions and calls that the run waits for.
func (s *summary) waits() {
	if len(s.Result.Waiting) == 0 {
		return
	}
	s.add("### Waiting for a person\n\n")
	list(s, s.Result.Waiting, maxFailures, func(w runner.Wait) {
		what := w.Question
		if w.IsCall() {
			what = w.Tool + " " + string(w.Arguments)
		}
		s.add("- **%s**: %s", s.markdown(w.Address()), s.markdown(term.Shorten(strings.Join(strings.Fields(what), " "), maxMessage)))
		s.add("\n")
		for _, c := range report.Answers(&w, s.Folder) {
			if s.Folder != "" {
				s.add("  - %s: %s\n", c.Does, code(s.line(c.Line)))
			}
		}
	})
}

// failures lists the failed units with their reasons.
func (s *summary) failures() error {
	listed, more := 0, 0
	for u, err := range s.units() {
		switch {
		case err != nil:
			return err
		case !u.bad():
			continue
		case listed == maxFailures:
			more++
			continue
		case listed == 0:
			s.add("### What failed\n\n")
		}
		listed++
		s.failure(u)
	}
	if e := s.Result.Error; listed > 0 {
		s.more(more)
	} else if e != nil && s.Result.Status != steps.Succeeded {
		s.add("%s\n\n", s.markdown(term.Shorten(e.Message, maxMessage)))
	}
	return nil
}

func (s *summary) failure(u unit) {
	kind := steps.Kind(u.kind()).Words()
	if u.continued {
		kind += ", continued"
	}
	s.add("- **%s** (%s): %s", s.markdown(u.name), kind, s.markdown(term.Shorten(u.why(), maxMessage)))
	if e := u.result.Error; e != nil && e.Hint != "" {
		s.add(" — %s", s.markdown(e.Hint))
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
			s.add("#### %s\n\n%s\n", s.markdown(output.Name), s.fenced(text))
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
func (r *Report) fenced(text string) string {
	note := ""
	text = r.text(text) // before it is cut, which could cut a secret
	if runes := []rune(text); len(runes) > maxText {
		text, note = string(runes[:maxText]), cutNote
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	block := fence + "\n" + text + "\n" + fence
	return "> " + strings.ReplaceAll(block, "\n", "\n> ") + "\n" + note
}

// steps is a line for each step.
func (s *summary) steps() {
	s.add("| step | status | turns | calls | denied | tokens | cost | time |\n|---|---|--:|--:|--:|--:|--:|--:|\n")
	for _, step := range s.Result.Steps {
		c := step.Numbers()
		s.add("| %s | %s | %s | %s | %s | %s | %s | %s |\n", s.markdown(step.Path()), view.StatusWord(step.Status, step.Continued()),
			count(c.Turns), count(c.Calls), count(c.Denied), count(c.Tokens), dollars(c), took(step))
	}
	s.add("\n")
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

// code is a text as a span of code.
func code(text string) string {
	return "<code>" + strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "&#124;").Replace(text) + "</code>"
}

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

func count[N int | int64](n N) string {
	if n == 0 {
		return ""
	}
	return quantity.Thousands(n)
}

func dollars(c view.Counts) string {
	switch {
	case c.Unpriced:
		return "unknown"
	case c.CostUSD == 0:
		return ""
	}
	return quantity.Dollars(c.CostUSD)
}

func took(s *runner.StepResult) string {
	if s.Duration == nil {
		return ""
	}
	return view.Took(time.Duration(*s.Duration) * time.Millisecond)
}
