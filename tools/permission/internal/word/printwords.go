package word

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// printAs says whether a word is a glob if it has wildcards.
type printAs uint8

const (
	asWord  printAs = iota // it is
	asWhole                // it is not, as in the value of a variable
)

// words prints the words of a command, each after a blank, with braces expanded. scripts
// replace the words at their indexes, and a -- comes before the word with the index
// dashes, unless that is 0.
func (p *Printer) words(list []*syntax.Word, scripts map[int]string, dashes int) {
	at := 0
	separate := func() {
		if dashes > 0 && at == dashes {
			p.blank()
			p.put("--")
		}
	}
	defer func() { separate() }()
	for _, word := range list {
		alternatives, ok := expandBraces(word.Parts)
		if !ok {
			p.fail("braces that make too many words")
			return
		}
		for _, parts := range alternatives {
			if value, quoted := p.Expand.value(parts); !quoted && value.Text == "" && value.Kind == Static {
				continue
			}
			separate()
			script, known := scripts[at]
			switch at++; {
			case !known:
				p.blank()
				p.parts(parts, asWord)
			case script != "":
				p.blank()
				p.quote(script)
			}
		}
	}
}

// whole prints a word that is neither split nor a glob.
func (p *Printer) whole(word *syntax.Word) { p.parts(word.Parts, asWhole) }

// pattern prints a word that the shell compares with a text.
func (p *Printer) pattern(word *syntax.Word) { p.parts(word.Parts, asWord) }

func (p *Printer) parts(parts []syntax.WordPart, as printAs) {
	b := wordBuilder{to: p, as: as}
	p.Expand.build(&b, parts)
	b.flush()
}

// quote prints text in quotes.
func (p *Printer) quote(text string) {
	plain := utf8.ValidString(text)
	for _, r := range text {
		plain = plain && (!unicode.IsControl(r) || r == '\n' || r == '\t')
	}
	if plain {
		p.put("'", strings.ReplaceAll(text, "'", `'\''`), "'")
		return
	}
	if p.Posix {
		p.fail("a control character")
	}
	p.put("$'")
	for i := range len(text) {
		if c := text[i]; strings.IndexByte(nameCharacters, c) >= 0 {
			p.put(string(rune(c)))
		} else {
			p.put(fmt.Sprintf(`\%03o`, c))
		}
	}
	p.put("'")
}

// expansion prints an expansion. quoted says that it is in double quotes, or in a place
// that counts as quoted: shells read quotes inside of such an expansion differently.
func (p *Printer) expansion(part syntax.WordPart, quoted bool) {
	switch part := part.(type) {
	case *syntax.ParamExp:
		p.param(part, quoted)
	case *syntax.CmdSubst:
		p.put("$( ")
		p.list(part.Stmts)
		p.put(")")
	case *syntax.ArithmExp:
		p.put("$(( ")
		p.arithmetic(part.X)
		p.put(" ))")
	case *syntax.ProcSubst:
		if quoted || p.Posix {
			p.fail("a process substitution in quotes")
		}
		p.put(part.Op.String(), " ")
		p.list(part.Stmts)
		p.put(")")
	default:
		p.fail("an expansion that is not known here")
	}
}

// param prints ${…}.
func (p *Printer) param(x *syntax.ParamExp, quoted bool) {
	name := x.Param.Value
	if !isPrintable(x, name) {
		p.fail("an expansion of the parameter " + name)
	}
	p.put("${")
	if x.Excl {
		p.put("!")
	}
	if x.Length {
		p.put("#")
	}
	p.put(name)
	p.index(x.Index)
	if x.Names != 0 {
		p.put(x.Names.String())
	}
	p.slice(x.Slice)
	p.replacement(x.Repl, quoted)
	if x.Exp != nil {
		p.put(x.Exp.Op.String())
		p.operand(x.Exp.Word, quoted)
	}
	p.put("}")
}

// isPrintable reports whether all shells read the expansion of that parameter in one way.
func isPrintable(x *syntax.ParamExp, name string) bool {
	operates := x.Excl || x.Length || x.Index != nil || x.Slice != nil || x.Repl != nil || x.Exp != nil
	switch {
	case syntax.ValidName(name), name == "@", name == "*":
		return true
	case IsDigits(name):
		return !x.Excl && x.Index == nil
	}
	return strings.Trim(name, "@*#?$!-") == "" && !operates
}

// slice prints the offset and the length in ${name: offset : length}.
func (p *Printer) slice(x *syntax.Slice) {
	if x == nil {
		return
	}
	p.put(": ")
	if x.Offset != nil {
		p.arithmetic(x.Offset)
	}
	if x.Length != nil {
		p.put(" : ")
		p.arithmetic(x.Length)
	}
}

// replacement prints the rest of ${name/from/to}.
func (p *Printer) replacement(x *syntax.Replace, quoted bool) {
	if x == nil {
		return
	}
	p.put("/")
	if x.All {
		p.put("/")
	}
	p.operand(x.Orig, quoted)
	if x.With != nil {
		p.put("/")
		p.operand(x.With, quoted)
	}
}

func (p *Printer) index(x syntax.ArithmExpr) {
	if x == nil {
		return
	}
	p.put("[")
	if word, ok := x.(*syntax.Word); ok && word.Lit() == "*" {
		p.put("*")
	} else {
		p.arithmetic(x)
	}
	p.put("]")
}

// operand prints the word in ${…} after the operator.
func (p *Printer) operand(word *syntax.Word, quoted bool) {
	if word == nil {
		return
	}
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if quoted {
				p.quotedOperand(part.Value)
			} else {
				p.bareOperand(part.Value)
			}
		case *syntax.SglQuoted:
			if quoted && (part.Dollar || strings.Trim(part.Value, plainCharacters) != "") {
				p.fail("quotes in an expansion in quotes")
			} else if quoted {
				p.put("'", part.Value, "'") // as it stands: they may be text
			} else {
				p.parts([]syntax.WordPart{part}, asWord)
			}
		case *syntax.DblQuoted:
			if quoted {
				p.plainlyQuoted(part)
			} else {
				p.parts([]syntax.WordPart{part}, asWord)
			}
		default:
			p.expansion(part, quoted)
		}
	}
}

// plainCharacters are those that mean the same in every kind of quotes.
const plainCharacters = nameCharacters + "./,:=@%+- "

// plainlyQuoted prints double quotes inside of an expansion in quotes. It fails if
// something in them could run under another reading.
func (p *Printer) plainlyQuoted(q *syntax.DblQuoted) {
	p.put(`"`)
	for _, part := range q.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if strings.Trim(part.Value, plainCharacters) != "" {
				p.fail("quotes in an expansion in quotes")
			}
			p.put(part.Value)
		case *syntax.ParamExp:
			if part.Exp != nil || part.Repl != nil || part.Slice != nil || part.Index != nil {
				p.fail("quotes in an expansion in quotes")
			}
			p.param(part, true)
		default:
			p.fail("quotes in an expansion in quotes")
		}
	}
	p.put(`"`)
}

// bareOperand prints unquoted text in ${…}, with its wildcards.
func (p *Printer) bareOperand(text string) {
	b := wordBuilder{to: p}
	escaped := false
	for _, r := range text {
		switch {
		case escaped:
			if escaped = false; r != '\n' {
				b.char(r)
			}
		case r == '\\':
			escaped = true
		case strings.ContainsRune(plainCharacters+"*?[]!^#~", r):
			b.flush()
			p.put(string(r))
		default:
			b.char(r)
		}
	}
	if escaped {
		b.char('\\')
	}
	b.flush()
}

// quotedOperand prints text in ${…} in double quotes.
func (p *Printer) quotedOperand(text string) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\'', '"', '`', '$', '{', '}':
			p.fail("quotes or braces in an expansion in quotes")
		case '\\':
			if i++; i == len(text) || text[i] == '\'' || text[i] == '\n' {
				p.fail("a backslash in an expansion in quotes")
				return
			}
		}
	}
	p.put(text)
}

// arithmetic prints an expression. Everything in it counts as quoted.
func (p *Printer) arithmetic(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		for _, part := range x.Parts {
			p.arithmeticPart(part)
		}
	case *syntax.ParenArithm:
		p.put("( ")
		p.arithmetic(x.X)
		p.put(" )")
	case *syntax.UnaryArithm:
		if x.Post {
			p.arithmetic(x.X)
			p.put(" ", x.Op.String(), " ")
		} else {
			p.put(" ", x.Op.String(), " ")
			p.arithmetic(x.X)
		}
	case *syntax.BinaryArithm:
		p.arithmetic(x.X)
		p.put(" ", x.Op.String(), " ")
		p.arithmetic(x.Y)
	default:
		p.fail("arithmetic that is not known here")
	}
}

func (p *Printer) arithmeticPart(part syntax.WordPart) {
	switch part := part.(type) {
	case *syntax.Lit:
		if strings.Trim(part.Value, nameCharacters+"#@") != "" {
			p.fail("a name in arithmetic")
		}
		p.put(part.Value)
	case *syntax.ParamExp:
		if part.Short && part.Index != nil && !part.Dollar.IsValid() { // a[i]
			p.put(part.Param.Value)
			p.index(part.Index)
			return
		}
		p.expansion(part, true)
	case *syntax.CmdSubst, *syntax.ArithmExp:
		p.expansion(part, true)
	default:
		p.fail("quotes in arithmetic")
	}
}

// test prints the expression in [[ ]].
func (p *Printer) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		p.whole(x)
	case *syntax.ParenTest:
		p.put("( ")
		p.test(x.X)
		p.put(" )")
	case *syntax.UnaryTest:
		p.put(x.Op.String(), " ")
		p.test(x.X)
	case *syntax.BinaryTest:
		p.test(x.X)
		p.put(" ", x.Op.String(), " ")
		word, isWord := x.Y.(*syntax.Word)
		switch {
		case isWord && x.Op == syntax.TsReMatch:
			p.expression(word)
		case isWord && (x.Op == syntax.TsMatch || x.Op == syntax.TsMatchShort || x.Op == syntax.TsNoMatch):
			p.pattern(word)
		default:
			p.test(x.Y)
		}
	default:
		p.fail("a test that is not known here")
	}
}

// expression prints the regular expression after =~, whose unquoted parts have to stay
// unquoted.
func (p *Printer) expression(word *syntax.Word) {
	for _, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			p.parts([]syntax.WordPart{part}, asWhole)
			continue
		}
		text := lit.Value
		for i := 0; i < len(text); i++ {
			if text[i] == '\\' && i+1 < len(text) && text[i+1] > ' ' && text[i+1] <= '~' {
				i++
			} else if text[i] == '$' && i+1 < len(text) && text[i+1] != ')' && text[i+1] != '|' || strings.IndexByte(nameCharacters+"^$.*+?()[]{}|/:,=@%-", text[i]) < 0 {
				p.fail("a regular expression")
			}
		}
		p.put(text)
	}
}
