package report

import (
	"regexp"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/term"
)

// resultWord matches the beginning of a line that says what kind of line it is, or else the first word for
// how something ended, or what was decided.
var resultWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:error|first failure|broken|refused|denied|warning|hint|[+-]) ?:?` +
		`|\b(?:(?:failed|stopped), continued|succeeded|failed|unreadable|denied|deny|MISSING|stopped|cancelled|waiting|running|cut off|ask|allow|skipped)\b`)
})

// Colored colours a report of this package: in each line its first word for a result. Texts of
// models and tools, which have a mark before them, stay as they are.
func Colored(text string, paint term.Painter) string {
	if !paint.On {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		at := resultWord().FindStringIndex(line)
		if at == nil || strings.HasPrefix(strings.TrimSpace(line), "|") {
			b.WriteString(line)
			continue
		}
		word := line[at[0]:at[1]]
		b.WriteString(line[:at[0]] + paint.Paint(toneOf(strings.Trim(word, " :")), word) + line[at[1]:])
	}
	return b.String()
}

// toneOf returns the tone of a word.
func toneOf(word string) term.Tone {
	switch word {
	case "succeeded", "allow", "+":
		return term.Good
	case "failed, continued", "stopped, continued", "warning", "stopped", "cancelled", "waiting", "running", "cut off", "ask":
		return term.Doubtful
	case "skipped", "hint":
		return term.Faint
	}
	return term.Bad
}
