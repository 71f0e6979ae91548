package command

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Kind says how much of a word is known before it runs.
type Kind uint8

// The kinds of words.
const (
	Static  Kind = iota // its text
	Glob                // a pattern of names of files, or the text itself
	Unknown             // how it begins
)

// Word is a word of a command after the shell has expanded it.
type Word struct {
	Kind Kind
	// Text is the value of a static word, the known beginning of an unknown one, and the
	// pattern of a glob, in which a backslash quotes.
	Text string
	// Many says that it may become any number of words; Plain, that an unknown word is a
	// number or the like: neither an option nor the name of a file that a rule may mean.
	Many, Plain bool
	option      bool   // it stands for one of the words of a loop, of which another may become an option
	form        string // what is printed for it
}

// Of returns a static word.
func Of(text string) Word { return Word{Text: text, form: quote(text)} }

// Is reports whether the word is known to be that text.
func (w Word) Is(text string) bool { return w.Kind == Static && w.Text == text }

// IsNoFile reports whether what is written there goes into no file.
func (w Word) IsNoFile() bool { return w.Is("/dev/null") || w.Is("/dev/stdout") || w.Is("/dev/stderr") }

// known reports whether nothing but a harmless value is open in the word.
func (w Word) known() bool { return w.Kind == Static || w.Plain }

// isOption reports whether the word starts with a dash, and is not just a dash.
func (w Word) isOption() bool { return strings.HasPrefix(w.Text, "-") && w.Text != "-" }

// mayBeOption reports whether the word may become an option although its text is none.
func (w Word) mayBeOption() bool {
	if w.option {
		return true
	}
	switch w.Kind {
	case Glob:
		return strings.IndexByte("-*?", w.Text[0]) >= 0
	case Unknown:
		return !w.Plain && (w.Text == "" || w.Text[0] == '-' || w.Text[0] == '+')
	}
	return false
}

// wildcards finds what is behind a glob's first wildcard, and quotes its backslashes.
var (
	behindWildcard = regexp.MustCompile(`(?s)^((?:[^\\*?]|\\.)*)[*?].*`)
	backslash      = regexp.MustCompile(`(?s)\\(.)`)
)

// Beginning returns the text before a glob's first wildcard, and all text of other words.
func (w Word) Beginning() string {
	if w.Kind != Glob {
		return w.Text
	}
	return Unquote(behindWildcard.ReplaceAllString(w.Text, "$1"))
}

// Unquote removes the backslashes that quote in a glob.
func Unquote(glob string) string { return backslash.ReplaceAllString(glob, "$1") }

// quote returns a text in single quotes, or in $'…' if it has control characters.
func quote(text string) string {
	plain := utf8.ValidString(text)
	for _, r := range text {
		plain = plain && (!unicode.IsControl(r) || r == '\n' || r == '\t')
	}
	if plain {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	var out strings.Builder
	out.WriteString("$'")
	for i := range len(text) {
		if c := text[i]; strings.IndexByte(nameCharacters, c) >= 0 {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, `\%03o`, c)
		}
	}
	out.WriteString("'")
	return out.String()
}

const (
	nameCharacters  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
	plainCharacters = nameCharacters + "./:@%+,-" // a text of them stays one word
)

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// builder puts a word together: what is known of it, and its printed form.
type builder struct {
	w         *walker
	whole     bool            // it is neither split nor a glob
	glob      strings.Builder // what is known, as a pattern in which a backslash quotes
	form      strings.Builder
	pending   strings.Builder // text that form does not have yet
	beginning string          // the text before the first part that is not known
	kind      Kind
	many      bool
	doubtful  bool // an unknown part is not plain
	quoted    bool // the word exists even if it is empty
	bracket   bool // a [ was opened
	option    bool // it begins with a word that has this
}

// parts expands the parts of one word, after braces.
func (w *walker) parts(parts []syntax.WordPart, whole bool) (out Word, exists bool) {
	b := builder{w: w, whole: whole}
	for i, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text := part.Value
			if i == 0 {
				text = b.tilde(text, len(parts) > 1)
			}
			b.unquoted(text)
		case *syntax.SglQuoted:
			b.quoted = true
			b.single(part)
		case *syntax.DblQuoted:
			b.quoted = true
			b.double(part)
		default:
			b.expansion(part, false)
		}
	}
	b.flush()
	if b.quoted && b.form.Len() == 0 {
		b.form.WriteString("''")
	}
	return b.word(), b.quoted || b.form.Len() > 0
}

func (b *builder) word() Word {
	w := Word{Kind: b.kind, Many: b.many, option: b.option, form: b.form.String()}
	switch b.kind {
	case Static:
		w.Text = Unquote(b.glob.String())
	case Glob:
		w.Text = b.glob.String()
	case Unknown:
		w.Text, w.Plain = b.beginning, !b.doubtful
	}
	return w
}

// literal adds known text.
func (b *builder) literal(text string) {
	b.note(text)
	b.pending.WriteString(text)
}

// note adds known text without printing it.
func (b *builder) note(text string) {
	if !b.bracket {
		b.glob.WriteString(escapeGlob.Replace(text))
	} else if at := strings.IndexByte(text, '/'); at >= 0 {
		b.bracket = false
		b.glob.WriteString(escapeGlob.Replace(text[at:]))
	}
}

var escapeGlob = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

// bare prints text without quotes.
func (b *builder) bare(text string) {
	b.flush()
	b.form.WriteString(text)
}

func (b *builder) flush() {
	if b.pending.Len() > 0 {
		b.form.WriteString(quote(b.pending.String()))
		b.pending.Reset()
	}
}

// become says that the word is no longer all known.
func (b *builder) become(kind Kind) {
	if b.kind == Static {
		b.beginning = Unquote(b.glob.String())
	}
	b.kind = max(b.kind, kind)
	b.many = b.many || kind == Glob
}

// unquoted adds text in which backslashes quote, and * ? [ are wildcards.
func (b *builder) unquoted(text string) {
	lone := text == "[" && b.glob.Len() == 0
	for i, r := range text {
		switch {
		case i > 0 && text[i-1] == '\\' && escapes(text[:i]):
			if r != '\n' {
				b.literal(string(r))
			}
		case r == '\\':
			if i == len(text)-1 {
				b.literal(`\`)
			}
		case b.whole || lone || !strings.ContainsRune("*?[", r):
			if b.bracket && strings.ContainsRune(nameCharacters+"-!^].:", r) {
				b.note(string(r))
				b.bare(string(r))
			} else {
				b.literal(string(r))
			}
		default:
			b.wildcard(r)
		}
	}
}

// escapes reports whether the backslash at the end of a text is not quoted itself.
func escapes(text string) bool { return (len(text)-len(strings.TrimRight(text, `\`)))%2 == 1 }

// wildcard adds * ? or [, after which the rest of the name may be anything.
func (b *builder) wildcard(r rune) {
	b.become(Glob)
	b.bare(string(r))
	switch {
	case b.bracket:
	case r == '[':
		b.bracket = true
		b.glob.WriteByte('*')
	default:
		b.glob.WriteRune(r)
	}
}

// tilde expands a ~ at the beginning of a word, or behind the = of what looks like an
// assignment, and returns the rest of the text. more says that a quoted part follows.
func (b *builder) tilde(text string, more bool) string {
	name, value, assigns := strings.Cut(text, "=")
	if strings.HasPrefix(text, "~") {
		name, value = "", text
	} else if assigns && syntax.ValidName(name) && !b.whole {
		name += "="
	} else {
		return text
	}
	rest, ok := strings.CutPrefix(value, "~")
	switch {
	case !ok:
		return text
	case b.w.roots.Home == "", rest != "" && rest[0] != '/', rest == "" && more:
		b.w.outside("a ~ with a name")
		return text
	}
	b.literal(name + b.w.roots.Home)
	return rest
}

// single adds a part in single quotes.
func (b *builder) single(q *syntax.SglQuoted) {
	text := q.Value
	if q.Dollar {
		value, _, err := expand.Format(new(expand.Config), text, nil) // a nil Config is shared, and written to
		if err != nil || strings.Contains(text, `\c`) || strings.Contains(text, `\x{`) {
			b.w.outside("an escape in $'…'")
		}
		text, _, _ = strings.Cut(value, "\x00")
	}
	b.literal(text)
}

// double adds a part in double quotes.
func (b *builder) double(q *syntax.DblQuoted) {
	if q.Dollar {
		b.w.outside(`$"…"`)
	}
	for _, part := range q.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.literal(inQuotes.Replace(part.Value))
			continue
		case *syntax.CmdSubst:
			if text, ok := printedText(part); ok {
				b.literal(text)
				continue
			}
		}
		b.expansion(part, true)
	}
}

// inQuotes and inDocument remove the backslashes that quote in double quotes, and in a
// here-document.
var (
	inQuotes   = strings.NewReplacer(`\$`, "$", "\\`", "`", `\"`, `"`, `\\`, `\`, "\\\n", "")
	inDocument = strings.NewReplacer(`\$`, "$", "\\`", "`", `\\`, `\`)
)

// printedText returns the output of a substitution if that is known: cat of a here-document in which
// nothing is expanded, and nothing else.
func printedText(c *syntax.CmdSubst) (text string, ok bool) {
	if len(c.Stmts) != 1 || c.TempFile || c.ReplyVar || c.Backquotes {
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

// isQuotedDelimiter reports whether nothing in a here-document is expanded.
func isQuotedDelimiter(word *syntax.Word) bool {
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); !ok || strings.ContainsAny(lit.Value, "\\$`") {
			return true
		}
	}
	return false
}

// whole expands a word that is neither split nor globbed, such as a value.
func (w *walker) whole(x *syntax.Word) Word {
	if x == nil {
		return Word{}
	}
	out, _ := w.parts(x.Parts, true)
	if out.Many = false; out.form == "" {
		out.form = "''"
	}
	return out
}

// Limits of the words that braces make.
const (
	maxBraceWords = 1024
	maxWords      = 4096
	maxBraces     = 128
)

// words expands the words of a command.
func (w *walker) words(list []*syntax.Word) (out []Word) {
	for _, x := range list {
		alternatives, ok := expandBraces(x.Parts)
		if !ok || len(alternatives) > 1 && len(out)+len(alternatives) > maxWords {
			w.refuse("braces make too many words")
			return nil
		}
		for _, parts := range alternatives {
			if word, exists := w.parts(parts, false); exists {
				out = append(out, word)
			}
		}
	}
	return out
}

// expandBraces returns the parts of each word to which braces expand one, which are printed:
// it does not matter whether the shell would have expanded more. ok is false if there are too
// many.
func expandBraces(parts []syntax.WordPart) (alternatives [][]syntax.WordPart, ok bool) {
	split := &syntax.Word{Parts: parts}
	braces := 0
	for _, part := range parts {
		if lit, ok := part.(*syntax.Lit); ok {
			braces += strings.Count(lit.Value, "{")
		}
	}
	if braces > maxBraces {
		return nil, false
	}
	if braces == 0 || !syntax.SplitBraces(split) {
		return [][]syntax.WordPart{parts}, true
	}
	for one, err := range expand.BracesSeq(nil, split) {
		if err != nil || len(alternatives) == maxBraceWords {
			return nil, false
		}
		alternatives = append(alternatives, one.Parts)
	}
	return alternatives, true
}
