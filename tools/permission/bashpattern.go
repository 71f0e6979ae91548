package permission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// bashPattern is a compiled rule over commands. Its words are matched one by one.
type bashPattern struct {
	text    string
	verdict Verdict
	words   []patternWord
	// folder is where the command has to run, from a cd FOLDER && in the rule; "" is the
	// workspace.
	folder string
	// literals is the number of words before the first one with a wildcard.
	literals int
}

func (p bashPattern) says() Verdict { return p.verdict }

// patternWord is a word of a pattern.
type patternWord struct {
	text   string
	star   bool           // a lone *: any number of words
	prefix string         // the text before the first wildcard
	atoms  []pattern.Atom // nil where there is no wildcard
	folded []pattern.Atom
}

func compileBash(r Rule) (bashPattern, error) {
	p := bashPattern{text: r.Pattern, verdict: r.Verdict}
	text := r.Pattern
	if what := pattern.StrangeRune(text, "\t\n"); what != "" || pattern.StrangeSpace(text) {
		return p, fmt.Errorf("bash pattern %q: it holds %s", r.Pattern, what+" that is no plain blank")
	}
	if head, ok := strings.CutSuffix(text, ":*"); ok {
		text = head + " *"
	}
	for _, field := range strings.Fields(text) {
		p.words = append(p.words, newPatternWord(field))
	}
	if n := len(p.words); n > 3 && p.words[0].text == "cd" && p.words[1].atoms == nil && p.words[2].text == "&&" {
		p.folder, p.words = p.words[1].text, p.words[3:]
	}
	if len(p.words) == 0 {
		return p, fmt.Errorf("bash pattern %q: it has no words", r.Pattern)
	}
	p.literals = slices.IndexFunc(p.words, func(w patternWord) bool { return w.star || w.atoms != nil })
	if p.literals < 0 {
		p.literals = len(p.words)
	}
	return p, nil
}

func newPatternWord(text string) patternWord {
	w := patternWord{text: text, prefix: text, star: text == "*"}
	if i := strings.IndexAny(text, "*?"); i >= 0 {
		w.prefix = text[:i]
		w.atoms, w.folded = pattern.Glob(text), pattern.Glob(pattern.Fold(text))
	}
	return w
}

// matches reports whether the word matches a text.
func (w patternWord) matches(text string, ignoreCase bool) bool {
	switch {
	case w.star:
		return true
	case ignoreCase && w.atoms == nil:
		return pattern.Fold(text) == pattern.Fold(w.text)
	case ignoreCase:
		return pattern.Match(w.folded, []rune(pattern.Fold(text)), nil)
	case w.atoms == nil:
		return text == w.text
	}
	return pattern.Match(w.atoms, []rune(text), nil)
}

// leftBy reports whether a text that matches a word such as scripts/*.py leads out of the
// folder that the word names.
func (w patternWord) leftBy(text string) bool {
	return w.atoms != nil && strings.Contains(w.prefix, "/") && slices.Contains(strings.Split(text, "/"), "..")
}

// covers reports whether the pattern, an allow, certainly matches the whole command,
// whatever the words that are not known become.
func (p bashPattern) covers(words []word.Word) bool {
	if len(words) == 0 || !p.coversName(words[0]) {
		return false
	}
	n := len(p.words)
	now, next := newProgress(n), newProgress(n)
	now.at[0] = true
	for _, w := range words {
		if p.words[n-1].star && (now.at[n-1] || now.in[n-1]) {
			return true // a final star covers all that follows
		}
		if !p.advance(w, now, next) {
			return false
		}
		now, next = next, now
	}
	return now.at[n] || p.words[n-1].star && (now.at[n-1] || now.in[n-1])
}

// openEnded returns the pattern with a star at its end: more words may follow.
func (p bashPattern) openEnded() bashPattern {
	if n := len(p.words); !p.words[n-1].star {
		p.words = append(p.words[:n:n], newPatternWord("*"))
	}
	return p
}

// coversBeginning reports whether the pattern certainly matches a form or its beginning.
func (p bashPattern) coversBeginning(f program.Form) bool {
	return p.openEnded().covers(append([]word.Word{f.Name}, f.Args...))
}

// progress says how much of the pattern the words of a command so far may match: at[j]
// its first j words; in[j] its first j words and at least one word more, which word j, a
// star, matches.
type progress struct{ at, in []bool }

func newProgress(n int) progress { return progress{make([]bool, n+1), make([]bool, n+1)} }

func (g progress) reset() {
	clear(g.at)
	clear(g.in)
}

// advance matches one more word for certain, and reports whether it can. Only a star
// matches what may become any number of words.
func (p bashPattern) advance(w word.Word, now, next progress) (alive bool) {
	next.reset()
	for j, pw := range p.words {
		switch {
		case !now.at[j] && !now.in[j]:
			continue
		case pw.star && (w.Kind == word.Spread || w.Kind == word.Globbed):
			next.at[j], next.in[j] = now.at[j], now.in[j]
		case pw.star:
			next.in[j], next.at[j+1] = true, true
		case now.at[j] && w.Kind == word.Static && pw.matches(w.Text, false) && !pw.leftBy(w.Text):
			next.at[j+1] = true
		default:
			continue
		}
		alive = true
	}
	return alive
}

// coversName reports whether the first word is known, and is either spelled by the pattern
// or no path that leads elsewhere.
func (p bashPattern) coversName(name word.Word) bool {
	if name.Kind != word.Static {
		return false
	}
	return p.words[0].text == name.Text || !strings.Contains(name.Text, "../") && !strings.HasPrefix(name.Text, "/")
}

// hits reports whether the pattern, a deny or ask, may match the command or its beginning,
// with the options in any order.
func (p bashPattern) hits(f program.Form) bool {
	if p.hitsInOrder(f) {
		return true
	}
	var options []patternWord
	rest := p
	rest.words = p.words[:1:1]
	for _, w := range p.words[1:] {
		if strings.HasPrefix(w.text, "-") && len(w.text) > 1 {
			options = append(options, w)
		} else {
			rest.words = append(rest.words, w)
		}
	}
	for _, o := range options {
		if !hasOption(f.Args, o) {
			return false
		}
	}
	return len(options) > 0 && rest.hitsInOrder(f)
}

// hasOption reports whether one of the words may be an option, also inside a cluster, with
// a value after =, or abbreviated.
func hasOption(args []word.Word, o patternWord) bool {
	for _, w := range args {
		if w.Unknown() || couldBe(w, o, true) {
			return true
		}
		name, _, _ := strings.Cut(w.Text, "=")
		if strings.HasPrefix(o.text, "--") && len(name) > 2 && strings.HasPrefix(pattern.Fold(o.text), pattern.Fold(name)) {
			return true
		}
	}
	letters := o.text[1:]
	if o.atoms != nil || len(letters) > 3 || letters[0] == '-' {
		return false
	}
	for i := range len(letters) {
		found := slices.ContainsFunc(args, func(w word.Word) bool {
			return w.IsOption() && w.Text[1] != '-' && strings.IndexByte(w.Text[1:], letters[i]) >= 0
		})
		if !found {
			return false
		}
	}
	return true
}

// hitsInOrder is hits for words in the order of the pattern. Between them may be options
// with their values, and before a path other operands.
func (p bashPattern) hitsInOrder(f program.Form) bool {
	first := p.words[0]
	if !first.star && !couldBe(f.Name, first, true) && f.Name.Kind != word.Spread && f.Name.Kind != word.Globbed {
		return false
	}
	n := len(p.words)
	if p.words[n-1].star && n > 1 {
		n-- // more words may follow anyway
	}
	now, next := newProgress(n), newProgress(n)
	now.at[0] = true
	for i := range len(f.Args) + 1 {
		w := f.Name
		if i > 0 {
			w = f.Args[i-1]
		}
		if w.Kind == word.Spread {
			return true // it may match the rest of the pattern
		}
		alive := p.mayAdvance(w, i == 0, now, next)
		if i > 0 {
			before := f.Name
			if i > 1 {
				before = f.Args[i-2]
			}
			alive = p.passOver(w, before, now, next) || alive
		}
		if next.at[n] {
			return true
		}
		if !alive {
			return false
		}
		now, next = next, now
	}
	return false
}

// passOver keeps the progress for a word that may be between two words of the pattern.
func (p bashPattern) passOver(w, before word.Word, now, next progress) (alive bool) {
	option := w.IsOption() || strings.HasPrefix(w.Text, "+") || before.IsOption() && !strings.Contains(before.Text, "=")
	for j := 1; j < len(now.at)-1; j++ {
		if now.at[j] && (option || strings.Contains(p.words[j].text, "/")) {
			next.at[j], alive = true, true
		}
	}
	return alive
}

// mayAdvance matches one more word if that is possible, and reports whether it is.
func (p bashPattern) mayAdvance(w word.Word, isName bool, now, next progress) (alive bool) {
	next.reset()
	for j := range len(now.at) - 1 {
		pw := p.words[j]
		switch {
		case !now.at[j] && !now.in[j]:
			continue
		case pw.star:
			next.in[j], next.at[j+1] = true, true
		case now.at[j] && couldBe(w, pw, isName):
			next.at[j+1] = true
		default:
			continue
		}
		alive = true
	}
	if w.Kind == word.Globbed {
		alive = p.manyNames(w, now, next) || alive
	}
	return alive
}

// manyNames adds the progress when a globbed word becomes several names, or none.
func (p bashPattern) manyNames(w word.Word, now, next progress) (alive bool) {
	n := len(now.at) - 1
	for j := range n + 1 {
		next.at[j] = next.at[j] || now.at[j]
	}
	for j := range n {
		alive = alive || next.at[j]
		if next.at[j] && (p.words[j].star || couldBe(w, p.words[j], false)) {
			next.at[j+1] = true
			next.in[j] = next.in[j] || p.words[j].star
		}
	}
	return alive || next.at[n]
}

// couldBe reports whether the word of a pattern may match a word of a command.
func couldBe(w word.Word, pw patternWord, ignoreCase bool) bool {
	switch w.Kind {
	case word.Static:
		return pw.matches(w.Text, ignoreCase)
	case word.Globbed:
		if pw.atoms == nil {
			return pattern.Overlap(pattern.FoldAll(w.Atoms), pattern.Literals(pattern.Fold(pw.text)))
		}
		return pattern.Overlap(pattern.FoldAll(w.Atoms), pw.folded)
	}
	return true
}

// spells reports whether the pattern spells a risk in the words of a command, before any
// wildcard.
func (p bashPattern) spells(g program.Risk, words []word.Word) bool {
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
	return slices.ContainsFunc(p.words, func(w patternWord) bool { return w.atoms == nil && w.text == text })
}
