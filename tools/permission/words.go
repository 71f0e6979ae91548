package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// wordKind says how much of a word is known before it runs.
type wordKind uint8

const (
	static  wordKind = iota // the text is known
	opaque                  // one harmless word: a number, a process substitution
	globbed                 // file names that fit atoms, or the text itself
	dynamic                 // one word, which may be any
	spread                  // any number of words, which may be any
)

// word is what a word of a command becomes once the shell has expanded it.
type word struct {
	kind wordKind
	// text is the value of a static word; of others the known text around
	// what is not known.
	text  string
	atoms []pattern.Atom // of a globbed word
	// lead is the known text that a word begins with whose rest is not known.
	lead string
	// plain says that a dynamic word can't be an option; chosen, that a globbed one is
	// one of the names that fit.
	plain, chosen bool
	// tilde says that text began with a ~ that the shell would not expand.
	tilde bool
}

func staticWord(text string) word { return word{kind: static, text: text} }

// unknown reports whether nothing is known of the word.
func (w word) unknown() bool { return w.kind == dynamic || w.kind == spread }

func (w word) is(text string) bool { return w.kind == static && w.text == text }

// isOption reports whether the word starts with a dash, and is more than that.
func (w word) isOption() bool {
	return (w.kind == static || w.kind == globbed) && strings.HasPrefix(w.text, "-") && w.text != "-"
}

// expander turns the words of the tree into what the shell makes of them.
type expander struct {
	home string
	// homeKnown is false when the command may change HOME.
	homeKnown bool
	// values are those of variables where they are used.
	values map[*syntax.ParamExp]word
}

// expand returns the words that one word of the tree becomes. Without splitting,
// as in an assignment, it is one. ok is false when braces make too many.
func (e expander) expand(w *syntax.Word) (words []word, ok bool) {
	if w == nil {
		return nil, true
	}
	alternatives, ok := expandBraces(w.Parts)
	if !ok {
		return nil, false
	}
	for _, parts := range alternatives {
		if value, quoted := e.value(parts); quoted || value.text != "" || value.kind != static {
			words = append(words, value)
		}
	}
	return words, true
}

// maxExpanded bounds the words that braces make of a command's.
const maxExpanded = 4096

// expandAll expands several words.
func (e expander) expandAll(in []*syntax.Word) (words []word, ok bool) {
	for _, w := range in {
		more, ok := e.expand(w)
		if !ok || len(more) > 1 && len(words)+len(more) > maxExpanded {
			return nil, false
		}
		words = append(words, more...)
	}
	return words, true
}

// whole returns a word that is neither split nor globbed, such as the value of
// an assignment.
func (e expander) whole(w *syntax.Word) word {
	if w == nil {
		return staticWord("")
	}
	value, _ := e.value(w.Parts)
	switch value.kind {
	case globbed:
		if value.kind = static; value.chosen {
			value.kind = dynamic
		}
	case spread:
		value.kind = dynamic
	}
	return value
}

// value puts the parts of a word together. quoted says that the word is there
// even when it is empty.
func (e expander) value(parts []syntax.WordPart) (w word, quoted bool) {
	var b wordBuilder
	quoted = e.build(&b, parts)
	return b.word(), quoted
}

// build puts the parts of a word together, and prints them where the builder
// does that.
func (e expander) build(b *wordBuilder, parts []syntax.WordPart) (quoted bool) {
	for i, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text := part.Value
			if i == 0 && strings.HasPrefix(text, "~") {
				text = e.tilde(b, text, len(parts) > 1)
			} else if i == 0 && strings.Contains(text, "~") {
				text = e.assignedTilde(b, text, len(parts) > 1)
			}
			b.unquoted(text)
		case *syntax.SglQuoted:
			quoted, b.present = true, true
			text := part.Value
			if part.Dollar {
				text = decodeANSI(text)
			}
			b.quoted(text)
		case *syntax.DblQuoted:
			quoted, b.present = true, true
			b.double(e, part)
		case *syntax.ArithmExp:
			b.arithmetic(part, spread)
			b.expansion(part, false)
		case *syntax.ProcSubst:
			b.become(opaque)
			b.expansion(part, false)
		case *syntax.ParamExp:
			if value, ok := e.values[part]; !ok || !b.variable(part, value, false) {
				b.become(spread)
				b.expansion(part, false)
			}
		case *syntax.CmdSubst:
			b.substitution(e, part, spread)
			b.expansion(part, false)
		default:
			// Whatever a later parser may add.
			b.become(spread)
			b.expansion(part, false)
		}
	}
	return quoted
}

// tilde expands a leading ~ and returns what is left of the text.
func (e expander) tilde(b *wordBuilder, text string, more bool) string {
	prefix, _, slash := strings.Cut(text, "/")
	switch {
	case !slash && more:
		// The name may go on in a quoted part, and then nothing is expanded.
		b.become(spread)
		b.bareTilde(prefix)
	case prefix == "~" && e.home != "" && e.homeKnown:
		b.quoted(e.home)
	case strings.ContainsAny(prefix, "\\"):
		b.tilde = true
		return text
	default:
		b.become(spread)
		if b.bareTilde(prefix); slash { // which ends the name as long as it is unquoted
			b.note('/')
			b.bare("/")
			return text[len(prefix)+1:]
		}
	}
	return text[len(prefix):]
}

// assignedTilde expands the ~ after the = of a word that looks like an
// assignment, and returns what is left of the text. Bash does so in any word.
func (e expander) assignedTilde(b *wordBuilder, text string, more bool) string {
	name, value, ok := strings.Cut(text, "=")
	if !ok || !syntax.ValidName(strings.TrimSuffix(name, "+")) {
		return text
	}
	if strings.Contains(value, ":~") {
		b.become(spread) // a list of directories: nothing is known of it
		return text
	}
	rest, ok := strings.CutPrefix(value, "~")
	if !ok {
		return text
	}
	if rest != "" && rest[0] != '/' || rest == "" && more || e.home == "" || !e.homeKnown {
		b.become(spread)
		return text
	}
	b.quoted(name + "=" + e.home)
	return rest
}

// wordBuilder collects a word.
type wordBuilder struct {
	kind          wordKind
	text          strings.Builder
	lead          string // the text before what made it dynamic
	plain, chosen bool   // see word
	atoms         []pattern.Atom
	glob          bool // it has a wildcard; before it has one the text says all
	// open says that a bracket was opened: the rest may be anything.
	open  bool
	tilde bool

	// to is where the word is printed, as a word that stands there; nil for one
	// that is only looked at.
	to *printer
	as printAs
	// pending is the known text that is not printed yet; present says that there
	// are quotes even around none.
	pending strings.Builder
	present bool
}

// flush prints the text that is known so far.
func (b *wordBuilder) flush() {
	if b.to == nil || b.pending.Len() == 0 && !b.present {
		return
	}
	b.to.quote(b.pending.String())
	b.pending.Reset()
	b.present = false
}

// bare prints text that has to stand without quotes.
func (b *wordBuilder) bare(text string) {
	if b.to != nil {
		b.flush()
		b.to.put(text)
	}
}

// bareTilde prints a ~ and the name after it, which the shell expands.
func (b *wordBuilder) bareTilde(prefix string) {
	if b.to != nil && strings.Trim(prefix[1:], nameCharacters+".+-") != "" {
		b.to.fail("a name after ~")
	}
	b.bare(prefix)
}

// expansion prints what is not known before it runs.
func (b *wordBuilder) expansion(part syntax.WordPart, quoted bool) {
	if b.to == nil || part == doubt {
		return
	}
	b.flush()
	if quoted {
		b.to.put(`"`)
	}
	b.to.expansion(part, quoted)
	if quoted {
		b.to.put(`"`)
	}
}

// become makes the word at least as unknown as kind.
func (b *wordBuilder) become(kind wordKind) {
	if b.kind == static && kind != static && !b.glob {
		b.lead = b.text.String()
	}
	b.kind = max(b.kind, kind)
}

func (b *wordBuilder) char(r rune) {
	b.note(r)
	if b.to != nil {
		b.pending.WriteRune(r)
	}
}

// note adds a character that is known.
func (b *wordBuilder) note(r rune) {
	b.text.WriteRune(r)
	if b.glob && !b.open {
		b.atoms = append(b.atoms, pattern.Atom{Char: r})
	}
}

func (b *wordBuilder) quoted(text string) {
	if b.text.Len() == 0 && strings.HasPrefix(text, "~") {
		b.tilde = true
	}
	for _, r := range text {
		b.char(r)
	}
}

// unquoted adds literal text in which backslashes quote and * ? [ are wild.
func (b *wordBuilder) unquoted(text string) {
	escaped := false
	lone := text == "[" && b.text.Len() == 0
	for _, r := range text {
		switch {
		case escaped:
			escaped = false
			if r == '~' && b.text.Len() == 0 {
				b.tilde = true
			}
			if r != '\n' {
				b.char(r)
			}
		case r == '\\':
			escaped = true
		case r == '*':
			b.wild(r, pattern.NameText)
		case r == '?':
			b.wild(r, pattern.NameCharacter)
		case r == '[' && !lone:
			b.wild(r, pattern.Text)
			b.open = b.as != asWhole
		case b.open && strings.ContainsRune(nameCharacters+"-!^].:", r):
			b.note(r)
			b.bare(string(r))
		default:
			b.char(r)
		}
	}
	if escaped {
		b.char('\\')
	}
}

func (b *wordBuilder) wild(r rune, w pattern.Wildcard) {
	if b.as == asWhole {
		b.char(r)
		return
	}
	b.bare(string(r))
	if !b.glob {
		b.glob, b.atoms = true, pattern.Literals(b.text.String())
	}
	b.text.WriteRune(r)
	if b.open {
		return
	}
	if n := len(b.atoms); n > 0 && w == pattern.NameText && b.atoms[n-1].Repeats() {
		b.atoms[n-1].Wild = pattern.Text // ** may cross directories
		return
	}
	b.atoms = append(b.atoms, pattern.Atom{Wild: w})
}

// double adds a double-quoted part. A translated one ($"…") may be any text.
func (b *wordBuilder) double(e expander, q *syntax.DblQuoted) {
	if q.Dollar {
		b.become(dynamic)
	}
	for _, part := range q.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.quoted(unescapeDouble(part.Value))
			continue
		case *syntax.ArithmExp:
			b.arithmetic(part, dynamic)
		case *syntax.ParamExp:
			if value, ok := e.values[part]; ok && b.variable(part, value, true) {
				continue
			}
			if manyWords(part) {
				b.become(spread)
			}
			b.become(dynamic)
		case *syntax.CmdSubst:
			if text, ok := literalText(part); ok {
				b.quoted(text)
				continue
			}
			b.substitution(e, part, dynamic)
		default:
			b.become(spread)
		}
		b.expansion(part, true)
	}
}

// arithmetic adds $((…)), whose value is a number when no name is in it.
func (b *wordBuilder) arithmetic(a *syntax.ArithmExp, otherwise wordKind) {
	if constantArithmetic(a.X) {
		b.become(opaque)
	} else {
		b.become(otherwise)
	}
}

func (b *wordBuilder) word() word {
	w := word{kind: b.kind, text: b.text.String(), tilde: b.tilde}
	if b.kind != static {
		w.lead, w.plain = b.lead, b.plain && b.kind == dynamic
	}
	if b.glob && b.kind == static {
		w.kind, w.atoms, w.chosen = globbed, b.atoms, b.chosen
	} else if b.glob {
		w.kind = spread
	}
	return w
}

// manyWords reports whether an expansion is several words even in quotes: $@,
// ${a[@]}, ${!prefix@}.
func manyWords(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Param.Value == "@" || p.Excl || p.Names != 0 {
		return true
	}
	index, ok := p.Index.(*syntax.Word)
	if p.Index != nil && (!ok || index.Lit() == "@") {
		return true
	}
	// ${x:-"$@"} is as many words as $@.
	return p.Exp != nil && p.Exp.Word != nil && len(p.Exp.Word.Parts) > 0 && p.Exp.Word.Lit() == ""
}

// unescapeDouble removes the backslashes that quote inside double quotes.
func unescapeDouble(s string) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// literalText returns the text that a substitution stands for where that is known:
// cat of a here-document in which nothing is expanded. It has to be quoted.
func literalText(c *syntax.CmdSubst) (text string, ok bool) {
	if len(c.Stmts) != 1 || c.Backquotes || c.TempFile || c.ReplyVar {
		return "", false
	}
	stmt := c.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Background || stmt.Negated || len(call.Assigns) > 0 || len(call.Args) != 1 || call.Args[0].Lit() != "cat" || len(stmt.Redirs) != 1 {
		return "", false
	}
	r := stmt.Redirs[0]
	if r.Op != syntax.Hdoc || r.N != nil || r.Hdoc == nil || !isQuotedDelimiter(r.Word) {
		return "", false
	}
	for _, part := range r.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return "", false
		}
		text += lit.Value
	}
	return strings.TrimRight(text, "\n"), true
}
