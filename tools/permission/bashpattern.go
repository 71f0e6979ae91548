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
	// which it covers the first words, both as [encoded] writes them.
	whole, beginning *regexp.Regexp
}

// patternWord is a word of a pattern.
type patternWord struct {
	text   string
	star   bool   // a lone *: any number of words
	wild   bool   // it has a wildcard
	prefix string // the text before that
	// exact matches the word, and folded in any case.
	exact, folded *regexp.Regexp
}

func newPatternWord(text string) patternWord {
	w := patternWord{text: text, prefix: text, star: text == "*", wild: strings.ContainsAny(text, "*?")}
	if w.wild {
		w.prefix = text[:strings.IndexAny(text, "*?")]
		w.exact, w.folded = pattern.Text(text), pattern.Text(pattern.Fold(text))
	}
	return w
}

// matches reports whether the word matches a text.
func (w patternWord) matches(text string, ignoreCase bool) bool {
	switch {
	case w.star:
		return true
	case ignoreCase && !w.wild:
		return pattern.Fold(text) == pattern.Fold(w.text)
	case ignoreCase:
		return w.folded.MatchString(pattern.Fold(text))
	case !w.wild:
		return text == w.text
	}
	return w.exact.MatchString(text)
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
	p.literals = slices.IndexFunc(p.words, func(w patternWord) bool { return w.wild })
	if p.literals < 0 {
		p.literals = len(p.words)
	}
	expression := p.expression()
	p.whole = regexp.MustCompile("(?s)^" + expression + "$")
	p.beginning = regexp.MustCompile("(?s)^" + expression + anyWords)
	return p, nil
}

// Regular expressions over [encoded] commands.
const (
	anyWords  = "(?:[^\x00]*\x00)*"
	knownWord = "[^m\x00][^\x00]*\x00" // one that can't become none
)

// expression returns the pattern as a regular expression over encoded commands.
func (p bashPattern) expression() string {
	var out strings.Builder
	for i, w := range p.words {
		switch {
		case w.star && i == len(p.words)-1 && i > 0:
			out.WriteString(anyWords)
		case w.star:
			out.WriteString(anyWords + knownWord + anyWords)
		case w.wild && strings.Contains(w.prefix, "/"): // scripts/*.py covers nothing that leaves the folder
			out.WriteString("s" + wordExpression(w.text))
		default:
			out.WriteString("[sp]" + wordExpression(w.text))
		}
	}
	return out.String()
}

func wordExpression(text string) string {
	return strings.NewReplacer(`\*`, "[^\x00]*", `\?`, "[^\x00]").Replace(regexp.QuoteMeta(text)) + "\x00"
}

// encoded writes the words of a command for regular expressions: each with a NUL behind it,
// and before it s if it is known, p if it is and has a .. in it, u if it is not known, and m
// if it may also become any number of words.
func encoded(words []command.Word) string {
	var out strings.Builder
	for _, x := range words {
		switch {
		case x.Many:
			out.WriteString("m")
		case x.Kind != command.Static:
			out.WriteString("u")
		case slices.Contains(strings.Split(x.Text, "/"), ".."):
			out.WriteString("p" + x.Text)
		default:
			out.WriteString("s" + x.Text)
		}
		out.WriteByte(0)
	}
	return out.String()
}

// covers reports whether the pattern, an allow, certainly matches the whole command,
// whatever the words that are not known become.
func (p bashPattern) covers(words []command.Word) bool {
	return len(words) > 0 && p.coversName(words[0]) && p.whole.MatchString(encoded(words))
}

// coversBeginning reports whether the pattern certainly matches a form or its beginning.
func (p bashPattern) coversBeginning(f command.Form) bool {
	return p.coversName(f.Name) && p.beginning.MatchString(encoded(append([]command.Word{f.Name}, f.Args...)))
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
func (p bashPattern) hits(f command.Form) bool {
	if hitsInOrder(p.words, f) {
		return true
	}
	rest := p.words[:1:1]
	for _, w := range p.words[1:] {
		switch {
		case !strings.HasPrefix(w.text, "-") || len(w.text) == 1:
			rest = append(rest, w)
		case !slices.ContainsFunc(f.Args, func(x command.Word) bool { return couldBe(x, w, false) }):
			return false
		}
	}
	return len(rest) < len(p.words) && hitsInOrder(rest, f)
}

// hitsInOrder is hits for words in their order. Between them may be options with their
// values, and before a path other operands.
func hitsInOrder(words []patternWord, f command.Form) bool {
	if !words[0].star && !couldBe(f.Name, words[0], true) {
		return false
	}
	n := len(words)
	if words[n-1].star && n > 1 {
		n-- // more words may follow anyway
	}
	matched := make([]bool, n+1) // whether the words so far may match so many of the pattern's
	matched[0] = true
	before := command.Word{}
	for i, x := range append([]command.Word{f.Name}, f.Args...) {
		if x.Kind == command.Unknown && x.Many {
			return true // it may match the rest of the pattern
		}
		next := make([]bool, n+1)
		alive := false
		for j := range n {
			if !matched[j] {
				continue
			}
			w := words[j]
			matches := couldBe(x, w, i == 0)
			next[j+1] = next[j+1] || matches
			next[j] = next[j] || w.star || i > 0 && j > 0 && mayStandBetween(x, before, w)
			next[j] = next[j] || x.Many // a glob may become none or several
			for k := j; x.Many && k < n && couldBe(x, words[k], false); k++ {
				next[k+1] = true
			}
			alive = alive || next[j] || next[j+1]
		}
		if next[n] {
			return true
		}
		if !alive {
			return false
		}
		matched, before = next, x
	}
	return false
}

// mayStandBetween reports whether a word may stand before the one that a pattern names: an
// option, the value of one, or an operand before a path.
func mayStandBetween(x, before command.Word, w patternWord) bool {
	option := func(x command.Word) bool { return strings.HasPrefix(x.Text, "-") && x.Text != "-" }
	return option(x) || strings.HasPrefix(x.Text, "+") || option(before) && !strings.Contains(before.Text, "=") || strings.Contains(w.text, "/")
}

// couldBe reports whether the word of a pattern may match a word of a command.
func couldBe(x command.Word, w patternWord, ignoreCase bool) bool {
	if x.Kind == command.Static {
		return w.matches(x.Text, ignoreCase)
	}
	a, b := pattern.Fold(x.Beginning()), pattern.Fold(w.prefix)
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
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
