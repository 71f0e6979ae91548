package permission

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/command"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// bashPattern is a compiled rule over commands. Its words are matched one by one.
type bashPattern struct {
	Rule
	words []patternWord
	// folder is where the command has to run, from a cd FOLDER && in the rule; "" is the
	// workspace.
	folder string
	// literals is the number of words before the first one with a wildcard.
	literals int
	// whole matches the commands that the pattern certainly covers, and beginning those of
	// which it covers the first words. A command that it may hit matches inOrder, or all of
	// anyOrder. All match [encoded] commands.
	whole, beginning, inOrder *regexp.Regexp
	anyOrder                  []*regexp.Regexp
}

// patternWord is a word of a pattern.
type patternWord struct {
	text   string
	star   bool   // a lone *: any number of words
	wild   bool   // it has a wildcard
	prefix string // the text before that
}

func newPatternWord(text string) patternWord {
	prefix, _, wild := strings.Cut(strings.ReplaceAll(text, "?", "*"), "*")
	return patternWord{text, text == "*", wild, prefix}
}

func compileBash(r Rule) (bashPattern, error) {
	p := bashPattern{Rule: r}
	text := r.Pattern
	if what := pattern.StrangeRune(text, "\t\n"); what != "" || pattern.StrangeSpace(text) {
		return p, fmt.Errorf("bash pattern %q: it holds %s", r.Pattern, what+" that is no plain blank")
	}
	if head, ok := strings.CutSuffix(text, ":*"); ok {
		text = head + " *"
	}
	for field := range strings.FieldsSeq(text) {
		p.words = append(p.words, newPatternWord(field))
	}
	if n := len(p.words); n > 3 && p.words[0].text == "cd" && !p.words[1].wild && p.words[2].text == "&&" {
		p.folder, p.words = p.words[1].text, p.words[3:]
	}
	if len(p.words) == 0 {
		return p, fmt.Errorf("bash pattern %q: it has no words", r.Pattern)
	}
	if len(p.words) > maxWords {
		return p, fmt.Errorf("bash pattern %.200q: it has %d words; the limit is %d", r.Pattern, len(p.words), maxWords)
	}
	p.literals = slices.IndexFunc(p.words, func(w patternWord) bool { return w.wild })
	if p.literals < 0 {
		p.literals = len(p.words)
	}
	var covers strings.Builder
	for i, w := range p.words {
		covers.WriteString(w.covers(i > 0 && i == len(p.words)-1))
	}
	p.whole = pattern.Expression("(?s)^" + covers.String() + "$")
	p.beginning = pattern.Expression("(?s)^" + covers.String() + anyWords)
	p.inOrder = mayHit(p.words)
	rest := p.words[:1:1]
	for _, w := range p.words[1:] {
		if strings.HasPrefix(w.text, "-") && len(w.text) > 1 {
			p.anyOrder = append(p.anyOrder, pattern.Expression("(?s)\x00"+w.mayBe()))
		} else {
			rest = append(rest, w)
		}
	}
	if p.anyOrder != nil {
		p.anyOrder = append(p.anyOrder, mayHit(rest))
	}
	return p, nil
}

// encoded writes the words of a command for regular expressions: each with a NUL behind it,
// and before it s if it is known, p if it is and has a .. in it, g if it is a glob, u if it is
// not known, and in upper case if it may also become any number of words.
func encoded(words []command.Word) string {
	var out strings.Builder
	for _, x := range words {
		tag, text := "s", x.Text
		switch {
		case x.Kind == command.Static && slices.Contains(strings.Split(text, "/"), ".."):
			tag = "p"
		case x.Kind == command.Glob:
			tag, text = "g", x.Beginning()
		case x.Kind == command.Unknown:
			tag = "u"
		}
		if x.Many {
			tag = strings.ToUpper(tag)
		}
		out.WriteString(tag + text + "\x00")
	}
	return out.String()
}

// Regular expressions over encoded commands.
const (
	text      = "[^\x00]*\x00"
	anyWords  = "(?:" + text + ")*"
	knownWord = "[spgu]" + text // one that can't become none
	// Between the words that a pattern names may stand options, with their values, and globs
	// that become none.
	between = "(?:[spgu]-[^\x00=]+\x00(?:" + text + ")?|[spgu][-+]" + text + "|G" + text + ")*"
)

func wordExpression(text string) string {
	return strings.NewReplacer(`\*`, "[^\x00]*", `\?`, "[^\x00]").Replace(regexp.QuoteMeta(text)) + "\x00"
}

// covers returns the expression for what the word of an allow certainly matches.
func (w patternWord) covers(last bool) string {
	switch {
	case w.star && last:
		return anyWords
	case w.star:
		return anyWords + knownWord + anyWords
	case w.wild && strings.Contains(w.prefix, "/"): // scripts/*.py covers nothing that leaves the folder
		return "s" + wordExpression(w.text)
	}
	return "[sp]" + wordExpression(w.text)
}

// mayBe returns the expression for the words that the word of a deny or ask may match: known
// ones, and those that begin as it does as far as both are known.
func (w patternWord) mayBe() string {
	return "(?:[spSP]" + wordExpression(w.text) + "|[guGU]" + w.begins() + ")"
}

// maxNested is how many letters of a word, and maxWords how many words, are compared one by one: an
// expression may nest 1,000 deep.
const (
	maxNested = 50
	maxWords  = 100
)

// begins returns the expression for what is known of words that the word may match.
func (w patternWord) begins() string {
	begins, known := "", []rune(w.prefix)
	if len(known) > maxNested {
		begins, known = "[^\x00]*", known[:maxNested]
	}
	for _, letter := range slices.Backward(known) {
		begins = "(?:" + regexp.QuoteMeta(string(letter)) + begins + ")?"
	}
	return "(?i:" + begins + "|" + regexp.QuoteMeta(w.prefix) + "[^\x00]*)\x00"
}

// mayHit returns the expression for the commands that begin with the words, as far as that is
// known. What is not known, and a glob, may be all the rest of them.
func mayHit(words []patternWord) *regexp.Regexp {
	n := len(words)
	if words[n-1].star && n > 1 {
		n-- // more words may follow anyway
	}
	out := ""
	for i := n - 1; i >= 0; i-- {
		w, one, skipped := words[i], words[i].mayBe(), between
		switch {
		case w.star:
			one = "(?:" + text + ")+"
		case i == 0:
			one = "(?i:" + one + ")"
		}
		switch {
		case i == 0:
			skipped = ""
		case strings.Contains(w.text, "/"):
			skipped = anyWords
		case strings.HasPrefix(words[i-1].text, "-"):
			skipped = "(?:" + text + ")?" + between
		}
		out = skipped + "(?:U" + text + "|G" + w.begins() + "|" + one + out + ")"
	}
	return pattern.Expression("(?s)^" + out)
}

// covers reports whether the pattern, an allow, certainly matches the whole command,
// whatever the words that are not known become.
func (p bashPattern) covers(words []command.Word) bool {
	return len(words) > 0 && p.coversName(words[0]) && p.whole.MatchString(encoded(words))
}

// coversBeginning reports whether the pattern certainly matches a command or its beginning.
func (p bashPattern) coversBeginning(words []command.Word) bool {
	return p.coversName(words[0]) && p.beginning.MatchString(encoded(words))
}

// coversName reports whether the first word is known, and is either spelled by the pattern
// or no path that leads elsewhere.
func (p bashPattern) coversName(name command.Word) bool {
	if name.Kind != command.Static {
		return false
	}
	return p.words[0].text == name.Text || !strings.Contains(name.Text, "../") && !strings.HasPrefix(name.Text, "/")
}

// hits reports whether the pattern, a deny or ask, may match the command or its beginning,
// with the options in any place.
func (p bashPattern) hits(words []command.Word) bool {
	line := encoded(words)
	return p.inOrder.MatchString(line) ||
		p.anyOrder != nil && !slices.ContainsFunc(p.anyOrder, func(e *regexp.Regexp) bool { return !e.MatchString(line) })
}

// spells reports whether the pattern spells a risk in the words of a command, before any
// wildcard.
func (p bashPattern) spells(g command.Risk, words []command.Word) bool {
	if g.At < 0 || g.At > p.literals || g.At >= len(p.words) {
		return false
	}
	prefix := p.words[g.At].prefix
	if g.At < p.literals && words[g.At].Is(prefix) {
		return true
	}
	for _, name := range g.Names {
		rest, ok := strings.CutPrefix(prefix, name)
		if ok && (rest == "" || rest[0] == '=' || len(name) == 2 && name[0] == '-' && strings.HasPrefix(words[g.At].Text, name)) {
			return true
		}
	}
	return false
}

// spellsWord reports whether the text is a word of the pattern.
func (p bashPattern) spellsWord(text string) bool {
	return slices.ContainsFunc(p.words, func(w patternWord) bool { return !w.wild && w.text == text })
}
