package ci

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

// maxSummary is the size in bytes at which a summary is cut, with a note: GitHub
// takes 1 MiB for a step.
const maxSummary = 1 << 20

const (
	maxFailures = 50  // units whose failure a summary has
	maxFindings = 200 // findings that it lists
	maxOutputs  = 50  // outputs that it lists
	maxCell     = 300 // characters of a text in a table

	maxText = 10_000 // characters of an output of several lines
)

// WriteSummary writes the run as Markdown: its status and cost, the failures with their reasons,
// its outputs, a table of the steps, and the findings.
func (r *Report) WriteSummary(w io.Writer) error {
	b := &strings.Builder{}
	r.heading(b)
	r.waits(b)
	if err := r.failures(b); err != nil {
		return err
	}
	r.outputs(b)
	r.table(b)
	r.listFindings(b)
	text := b.String()
	if len(text) > maxSummary {
		const note = "\n\n… cut here: the rest is in the run's folder.\n"
		cut := maxSummary - len(note)
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + note
	}
	_, err := io.WriteString(w, text)
	return err
}

// heading is what the run came to.
func (r *Report) heading(b *strings.Builder) {
	run, word := r.Result, view.End(r.Result).Word
	sign := mark(run.Status)
	if run.Status == steps.Succeeded && word != string(run.Status) {
		sign = mark(steps.Stopped)
	}
	spent := view.Spent(run)
	if len(run.Unpriced) > 0 {
		spent += ", " + view.NoPrice(run.Unpriced)
	}
	fmt.Fprintf(b, "## %s %s: %s\n\nTook %s", sign, r.markdown(run.Workflow.Name), r.markdown(word), r.markdown(spent))
	if r.Folder != "" {
		fmt.Fprintf(b, ". Run folder: %s", code(r.line(r.Folder)))
	}
	b.WriteString("\n\n")
}

// waits lists the questions and calls that the run waits for.
func (r *Report) waits(b *strings.Builder) {
	all := r.Result.Waiting
	if len(all) == 0 {
		return
	}
	b.WriteString("### Waiting for a person\n\n")
	for i := range all {
		if i == maxFailures {
			fmt.Fprintf(b, "- and %d more\n", len(all)-i)
			break
		}
		what := all[i].Question
		if all[i].IsCall() {
			what = all[i].Tool + " " + string(all[i].Arguments)
		}
		fmt.Fprintf(b, "- **%s**: %s\n", r.markdown(all[i].Address()), r.markdown(term.Shorten(what, maxMessage)))
	}
	b.WriteString("\n")
}

// failures lists the failed units with their reasons, up to a limit.
func (r *Report) failures(b *strings.Builder) error {
	told, more := 0, 0
	err := r.units(func(u unit) error {
		if !u.bad() {
			return nil
		}
		if told == maxFailures {
			more++
			return nil
		}
		if told == 0 {
			b.WriteString("### What failed\n\n")
		}
		told++
		kind := u.kind()
		if u.continued {
			kind += ", continued"
		}
		fmt.Fprintf(b, "- **%s** (%s): %s", r.markdown(u.name), kind, r.markdown(term.Shorten(u.why(), maxMessage)))
		if e := u.result.Error; e != nil && e.Hint != "" {
			fmt.Fprintf(b, " — %s", r.markdown(e.Hint))
		}
		b.WriteString("\n")
		return nil
	})
	if more > 0 {
		fmt.Fprintf(b, "- and %d more\n", more)
	}
	if told > 0 {
		b.WriteString("\n")
	} else if e := r.Result.Error; e != nil && r.Result.Status != steps.Succeeded {
		fmt.Fprintf(b, "%s\n\n", r.markdown(term.Shorten(e.Message, maxMessage)))
	}
	return err
}

// outputs is a line for each output of the run. The line shows the beginning of a long value; a text
// of several lines stands under the table.
func (r *Report) outputs(b *strings.Builder) {
	all := r.Result.Outputs
	if len(all) == 0 {
		return
	}
	b.WriteString("| output | value |\n|---|---|\n")
	for _, output := range all[:min(len(all), maxOutputs)] {
		value := r.markdown(term.Shorten(runner.Text(output.Value), maxMessage))
		if _, long := severalLines(output.Value); long {
			value = "see below"
		}
		fmt.Fprintf(b, "| %s | %s |\n", r.markdown(output.Name), value)
	}
	if more := len(all) - maxOutputs; more > 0 {
		fmt.Fprintf(b, "\nand %d more\n", more)
	}
	b.WriteString("\n")
	for _, output := range all[:min(len(all), maxOutputs)] {
		if text, long := severalLines(output.Value); long {
			fmt.Fprintf(b, "#### %s\n\n%s\n", r.markdown(output.Name), r.fenced(text))
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
		text, note = string(runes[:maxText]), "\n… cut here: the rest is in the run's folder.\n"
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	var b strings.Builder
	for _, line := range strings.Split(fence+"\n"+text+"\n"+fence, "\n") {
		b.WriteString("> " + line + "\n")
	}
	return b.String() + note
}

// table is a line for each step.
func (r *Report) table(b *strings.Builder) {
	b.WriteString("| step | status | turns | calls | denied | tokens | cost | time |\n|---|---|--:|--:|--:|--:|--:|--:|\n")
	for _, s := range r.Result.Steps {
		c := view.CountsOf(s)
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", r.markdown(s.Path()), view.StatusWord(s.Status, s.Continued()),
			count(c.Turns), count(c.Calls), count(c.Denied), count(c.Tokens), dollars(c), took(s))
	}
	b.WriteString("\n")
}

// maxInvalid is how many invalid findings are listed.
const maxInvalid = 5

func (r *Report) listFindings(b *strings.Builder) {
	if len(r.Invalid) > 0 {
		b.WriteString("### Invalid findings\n\n")
		for _, err := range r.Invalid[:min(len(r.Invalid), maxInvalid)] {
			fmt.Fprintf(b, "- %s\n", r.markdown(err.Error()))
		}
		if more := len(r.Invalid) - maxInvalid; more > 0 {
			fmt.Fprintf(b, "- and %d more\n", more)
		}
		b.WriteString("\n")
	}
	if len(r.Findings) == 0 {
		return
	}
	fmt.Fprintf(b, "### %s\n\n", quantity.Count(len(r.Findings), "finding"))
	if r.Unfound != "" {
		fmt.Fprintf(b, "Findings may be missing: %s.\n\n", r.markdown(r.Unfound))
	}
	fmt.Fprint(b, "| | where | what |\n|---|---|---|\n")
	for _, f := range r.Findings[:min(len(r.Findings), maxFindings)] {
		where := r.line(f.File)
		if f.File != "" && f.Line > 0 {
			where = fmt.Sprintf("%s:%d", where, f.Line)
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", f.Severity, r.markdown(where), r.markdown(term.Shorten(f.Message, maxCell)))
	}
	if more := len(r.Findings) - maxFindings; more > 0 {
		fmt.Fprintf(b, "\nand %d more\n", more)
	}
}

// markdown escapes a text, on one line, so that Markdown shows it literally: no markup, no HTML,
// no link, no mention of anybody.
func (r *Report) markdown(text string) string {
	var b strings.Builder
	for _, c := range r.line(text) {
		switch {
		case c == '<':
			b.WriteString("&lt;")
		case c == '>':
			b.WriteString("&gt;")
		case c == '&':
			b.WriteString("&amp;")
		case c == '@': // a mention
			b.WriteString("&#64;")
		case strings.ContainsRune("\\`*_{}[]()#.!|~$", c):
			b.WriteByte('\\')
			b.WriteRune(c)
		default:
			b.WriteRune(c)
		}
	}
	return strings.ReplaceAll(b.String(), "://", "&#58;//") // an address
}

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
	return view.Dollars(c.CostUSD)
}

func took(s *runner.StepResult) string {
	if s.Duration == nil {
		return ""
	}
	return view.Took(time.Duration(*s.Duration) * time.Millisecond)
}
