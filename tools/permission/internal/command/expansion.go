package command

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// expansion adds what is not known before it runs, or the known value of a variable.
func (b *builder) expansion(part syntax.WordPart, quoted bool) {
	form, plain := "", false
	switch part := part.(type) {
	case *syntax.ParamExp:
		if value, ok := b.w.value(part); ok && b.variable(part.Param.Value, value, quoted) {
			return
		}
		form, plain = b.w.param(part)
		b.many = b.many || quoted && part.Param != nil && part.Param.Value == "@"
	case *syntax.CmdSubst:
		form, plain = b.w.substitution(part)
	case *syntax.ArithmExp:
		form, plain = b.w.arithmetic(part), true
	case *syntax.ProcSubst:
		if quoted {
			b.w.refuse("a process substitution is in quotes")
		}
		form, plain = part.Op.String()+" "+b.w.nested(part.Stmts)+")", true
	case *syntax.ExtGlob:
		b.w.outside("an extended glob")
	default:
		b.w.outside("a word of another shell")
	}
	if quoted {
		form = `"` + form + `"`
	}
	b.bare(form)
	b.become(Unknown)
	b.doubtful = b.doubtful || !plain
	b.many = b.many || !quoted && !plain && !b.whole
}

// variable adds a variable with a known value. It returns false if the value may be split
// or globbed.
func (b *builder) variable(name string, v Word, quoted bool) bool {
	form := `"${` + name + `}"`
	b.option = b.option || v.option && b.kind == Static && b.glob.Len() == 0
	switch {
	case v.Kind == Static && !quoted && (v.Text == "" || strings.Trim(v.Text, plainCharacters) != ""):
		return false
	case v.Kind == Static:
		b.note(v.Text)
		b.bare(form)
		b.quoted = true
	case v.Kind == Glob && quoted && !b.whole && !b.bracket:
		many := b.many
		b.become(Glob)
		b.many = many
		b.glob.WriteString(v.Text)
		b.bare(form)
	case v.Plain && v.Kind == Unknown:
		b.become(Unknown)
		b.bare(form)
	case v.Kind != Static && quoted:
		first := b.kind == Static && b.glob.Len() == 0
		if b.become(Unknown); first {
			b.beginning = v.Beginning()
		}
		b.doubtful = true
		b.bare(form)
	default:
		return false
	}
	return true
}

// plainParam matches the expansions of a parameter that neither run nor assign anything, with a
// word behind an operator that means the same in every kind of quotes.
var plainParam = regexp.MustCompile(`^\$\{([a-zA-Z_]\w*(:?[-+][\w./:@%+,= -]*|\^\^?|,,?|(##?|%%?)[\w./:@%+,*?-]+|:[0-9]+(:[0-9]+)?|//?[\w.:@+,*? -]+(/[\w.:@+,*? -]*)?)?` +
	`|[0-9]+|[@*-]|(#[a-zA-Z_]\w*|[?#$!]|PIPESTATUS\[[0-9]+\]))\}$`)

// param prints ${…}, and reports whether it is a number.
func (w *walker) param(p *syntax.ParamExp) (form string, number bool) {
	form = w.text(p)
	if p.Short && p.Param != nil && form == "$"+p.Param.Value {
		form = "${" + p.Param.Value + "}"
	}
	match := plainParam.FindStringSubmatch(form)
	if match == nil {
		w.outside("the expansion " + form)
		w.inside(p)
		return "", false
	}
	return form, match[len(match)-1] != ""
}

// substitution walks $(…), and reports whether what it prints is a number, a date or the
// name of a commit.
func (w *walker) substitution(c *syntax.CmdSubst) (form string, plain bool) {
	if c.TempFile || c.ReplyVar {
		w.outside("a substitution of another shell")
	}
	match := printsPlainly.FindStringSubmatch(w.text(c))
	// Where files are judged by words, a name might be that of a file.
	return "$( " + w.nested(c.Stmts) + ")", match != nil && (w.held || match[3] == "")
}

// printsPlainly matches substitutions that print a number, a date or the name of a commit; only
// the last of these are its third match.
var printsPlainly = regexp.MustCompile(`^\$\(\s*(nproc|date ["']?\+%[%YmdHMSFsT_:-]*["']?|wc -[lcw]( *< *[\w./-]+)?|git merge-base \w[\w./@^~-]* \w[\w./@^~-]*|(git rev-parse (--short )?HEAD|git describe( --tags( --abbrev=0)?)?))( 2> ?/dev/null)?\s*\)$`)

// plainArithmetic matches arithmetic without assignments, but for <<= and >>=, and names finds its
// variables.
var (
	plainArithmetic = regexp.MustCompile(`^\$\(\(((?:\s|[0-9]+\b|\$?[a-zA-Z_]\w*|\$\{[a-zA-Z_]\w*\}|[-+*/%()<>&|^~?:!]|[<>=!]=)*)\)\)$`)
	names           = regexp.MustCompile(`[a-zA-Z_]\w*`)
)

// arithmetic prints an expression over numbers, and over variables that only ever are
// numbers.
func (w *walker) arithmetic(x *syntax.ArithmExp) string {
	match := plainArithmetic.FindStringSubmatch(w.text(x))
	changes := func(op string) bool { return strings.Contains(w.text(x), op) }
	if match == nil || slices.ContainsFunc([]string{"++", "--", "<<=", ">>="}, changes) ||
		slices.ContainsFunc(names.FindAllString(match[1], -1), func(name string) bool { return !w.isNumber(name) }) {
		w.outside("arithmetic over " + w.text(x) + ", which may be no number")
		w.inside(x)
		return ""
	}
	return "$(( " + strings.TrimSpace(match[1]) + " ))"
}
