// Package word expands the words of a script as far as they are known before it runs, and
// prints the script so that a shell can expand them to nothing else.
package word

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// WordKind says how much of a word is known before it runs.
type WordKind uint8

const (
	Static  WordKind = iota // the text is known
	Opaque                  // one harmless word: a number, a process substitution
	Globbed                 // the names of files that match the atoms, or the text itself
	Dynamic                 // one word, which may be any
	Spread                  // any number of words, which may be any
)

// Word is what is known of a word of a command after the shell has expanded it.
type Word struct {
	Kind WordKind
	// Text is the value of a static word. Of any other it is the known text around what
	// is not known.
	Text  string
	Atoms []pattern.Atom // of a globbed word
	// Lead is the known beginning of a word that is not known whole.
	Lead string
	// Plain says that a dynamic word can't be an option; Chosen, that a globbed word is
	// only one of the names that match.
	Plain, Chosen bool
	// IfThere says that the word names a file only if that exists.
	IfThere bool
	// Tilde says that the text begins with a ~ that the shell does not expand.
	Tilde bool
}

func Of(text string) Word { return Word{Kind: Static, Text: text} }

// Unknown reports whether nothing is known of the word.
func (w Word) Unknown() bool { return w.Kind == Dynamic || w.Kind == Spread }

func (w Word) Is(text string) bool { return w.Kind == Static && w.Text == text }

// IsOption reports whether the word starts with a dash, and is not just a dash.
func (w Word) IsOption() bool {
	return (w.Kind == Static || w.Kind == Globbed) && strings.HasPrefix(w.Text, "-") && w.Text != "-"
}

// Expander expands the words of a tree as the shell does.
type Expander struct {
	Home string
	// HomeKnown is false when the command may change HOME.
	HomeKnown bool
	// Values are the known values of expansions of variables.
	Values map[*syntax.ParamExp]Word
}

// Expand returns the words to which braces expand one word of the tree. ok is false when
// these are too many.
func (e Expander) Expand(w *syntax.Word) (words []Word, ok bool) {
	if w == nil {
		return nil, true
	}
	alternatives, ok := expandBraces(w.Parts)
	if !ok {
		return nil, false
	}
	for _, parts := range alternatives {
		if value, quoted := e.value(parts); quoted || value.Text != "" || value.Kind != Static {
			words = append(words, value)
		}
	}
	return words, true
}

// maxExpanded is how many words a command with braces may have.
const maxExpanded = 4096

// ExpandAll expands several words.
func (e Expander) ExpandAll(in []*syntax.Word) (words []Word, ok bool) {
	for _, w := range in {
		more, ok := e.Expand(w)
		if !ok || len(more) > 1 && len(words)+len(more) > maxExpanded {
			return nil, false
		}
		words = append(words, more...)
	}
	return words, true
}

// Whole expands a word that is neither split nor globbed, such as the value of an
// assignment.
func (e Expander) Whole(w *syntax.Word) Word {
	if w == nil {
		return Of("")
	}
	value, _ := e.value(w.Parts)
	switch value.Kind {
	case Globbed:
		if value.Kind = Static; value.Chosen {
			value.Kind = Dynamic
		}
	case Spread:
		value.Kind = Dynamic
	}
	return value
}

// value expands the parts of a word. quoted says that the word exists even when it is
// empty.
func (e Expander) value(parts []syntax.WordPart) (w Word, quoted bool) {
	var b wordBuilder
	quoted = e.build(&b, parts)
	return b.word(), quoted
}

// build expands the parts of a word, and prints them if the builder has a printer.
func (e Expander) build(b *wordBuilder, parts []syntax.WordPart) (quoted bool) {
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
			b.single(part)
		case *syntax.DblQuoted:
			quoted, b.present = true, true
			b.double(e, part)
		case *syntax.ArithmExp:
			b.arithmetic(part, Spread)
			b.expansion(part, false)
		case *syntax.ProcSubst:
			b.become(Opaque)
			b.expansion(part, false)
		case *syntax.ParamExp:
			if value, ok := e.Values[part]; !ok || !b.variable(part, value, false) {
				b.become(Spread)
				b.expansion(part, false)
			}
		case *syntax.CmdSubst:
			b.substitution(e, part, Spread)
			b.expansion(part, false)
		default:
			// Something that a later parser has added.
			b.become(Spread)
			b.expansion(part, false)
		}
	}
	return quoted
}

// tilde expands a leading ~ and returns the rest of the text.
func (e Expander) tilde(b *wordBuilder, text string, more bool) string {
	prefix, _, slash := strings.Cut(text, "/")
	switch {
	case !slash && more:
		// The name may go on in a quoted part, and then nothing is expanded.
		b.become(Spread)
		b.bareTilde(prefix)
	case prefix == "~" && e.Home != "" && e.HomeKnown:
		b.quoted(e.Home)
	case strings.ContainsAny(prefix, "\\"):
		b.tilde = true
		return text
	default:
		b.become(Spread)
		if b.bareTilde(prefix); slash { // the slash ends the name only while it is unquoted
			b.note('/')
			b.bare("/")
			return text[len(prefix)+1:]
		}
	}
	return text[len(prefix):]
}

// assignedTilde expands the ~ after the = of a word that looks like an assignment, and
// returns the rest of the text. Bash does so in any word.
func (e Expander) assignedTilde(b *wordBuilder, text string, more bool) string {
	name, value, ok := strings.Cut(text, "=")
	if !ok || !syntax.ValidName(strings.TrimSuffix(name, "+")) {
		return text
	}
	if strings.Contains(value, ":~") {
		b.become(Spread) // a list of directories: nothing is known of it
		return text
	}
	rest, ok := strings.CutPrefix(value, "~")
	if !ok {
		return text
	}
	if rest != "" && rest[0] != '/' || rest == "" && more || e.Home == "" || !e.HomeKnown {
		b.become(Spread)
		return text
	}
	b.quoted(name + "=" + e.Home)
	return rest
}

// wordBuilder puts a word together.
type wordBuilder struct {
	kind          WordKind
	text          strings.Builder
	lead          string // the text before the first part that is not known
	plain, chosen bool   // as in Word
	atoms         []pattern.Atom
	glob          bool // it has a wildcard; the atoms are set only then
	// open says that a bracket was opened: the rest may be anything.
	open  bool
	tilde bool

	// to prints the word; nil for a word that is not printed.
	to *Printer
	as printAs
	// pending is known text that is not printed yet. present says to print quotes even
	// when it is empty.
	pending strings.Builder
	present bool
}

// flush prints the pending text.
func (b *wordBuilder) flush() {
	if b.to == nil || b.pending.Len() == 0 && !b.present {
		return
	}
	b.to.quote(b.pending.String())
	b.pending.Reset()
	b.present = false
}

// bare prints text without quotes.
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

// expansion prints an expansion, in quotes or not.
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
func (b *wordBuilder) become(kind WordKind) {
	if b.kind == Static && kind != Static && !b.glob {
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

// note adds a known character without printing it.
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

// unquoted adds text in which backslashes quote, and * ? [ are wildcards.
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

// single adds a single-quoted part.
func (b *wordBuilder) single(q *syntax.SglQuoted) {
	if !q.Dollar {
		b.quoted(q.Value)
		return
	}
	text, ok := decodeANSI(q.Value)
	if !ok && b.to != nil {
		b.to.fail("an escape in $'…'")
	}
	b.quoted(text)
}

// double adds a double-quoted part. A translated one, $"…", may be any text.
func (b *wordBuilder) double(e Expander, q *syntax.DblQuoted) {
	if q.Dollar {
		b.become(Dynamic)
	}
	for _, part := range q.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.quoted(unescapeDouble(part.Value))
			continue
		case *syntax.ArithmExp:
			b.arithmetic(part, Dynamic)
		case *syntax.ParamExp:
			if value, ok := e.Values[part]; ok && b.variable(part, value, true) {
				continue
			}
			if manyWords(part) {
				b.become(Spread)
			}
			b.become(Dynamic)
		case *syntax.CmdSubst:
			if text, ok := LiteralText(part); ok {
				b.quoted(text)
				continue
			}
			b.substitution(e, part, Dynamic)
		default:
			b.become(Spread)
		}
		b.expansion(part, true)
	}
}

// arithmetic adds $((…)), whose value is a number if there is no name in it.
func (b *wordBuilder) arithmetic(a *syntax.ArithmExp, otherwise WordKind) {
	if ConstantArithmetic(a.X) {
		b.become(Opaque)
	} else {
		b.become(otherwise)
	}
}

func (b *wordBuilder) word() Word {
	w := Word{Kind: b.kind, Text: b.text.String(), Tilde: b.tilde}
	if b.kind != Static {
		w.Lead, w.Plain = b.lead, b.plain && b.kind == Dynamic
	}
	if b.glob && b.kind == Static {
		w.Kind, w.Atoms, w.Chosen = Globbed, b.atoms, b.chosen
	} else if b.glob {
		w.Kind = Spread
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

// LiteralText returns the output of a substitution if that is known: cat of a
// here-document in which nothing is expanded. The substitution has to be in quotes.
func LiteralText(c *syntax.CmdSubst) (text string, ok bool) {
	call, redirects := onlyCall(c)
	if call == nil || c.Backquotes || len(call.Args) != 1 || call.Args[0].Lit() != "cat" || len(redirects) != 1 {
		return "", false
	}
	r := redirects[0]
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
