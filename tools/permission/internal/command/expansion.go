package command

import (
	"regexp"
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
		form = b.w.param(part)
		b.many = b.many || quoted && part.Param != nil && part.Param.Value == "@"
	case *syntax.CmdSubst:
		form, plain = b.w.substitution(part)
	case *syntax.ArithmExp:
		form, plain = "$(( "+b.w.arithmetic(part.X)+" ))", true
	case *syntax.ProcSubst:
		b.w.bashOnly(part.Op.String())
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
func (b *builder) variable(name string, v variable, quoted bool) bool {
	form := `"${` + name + `}"`
	switch {
	case v.Kind == Static && !quoted && (v.Text == "" || strings.Trim(v.Text, plainCharacters) != ""):
		return false
	case v.Kind == Static && v.loops:
		b.note(v.Text)
		b.bare(form)
		b.quoted = true
	case v.Kind == Static:
		b.literal(v.Text)
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
		first := b.kind == Static && b.text.Len() == 0
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

// param prints ${…}: a variable, also with a static word behind an operator.
func (w *walker) param(p *syntax.ParamExp) string {
	if !isPlainParam(p) {
		w.outside("the expansion " + w.text(p))
		w.inside(p)
		return ""
	}
	out := "${"
	if p.Length {
		out += "#"
	}
	if out += p.Param.Value; p.Exp != nil {
		out += p.Exp.Op.String() + literal(p.Exp.Word)
	}
	if p.Slice != nil {
		out += ":" + number(p.Slice.Offset)
		if p.Slice.Length != nil {
			out += ":" + number(p.Slice.Length)
		}
	}
	if p.Repl != nil {
		all := ""
		if p.Repl.All {
			all = "/"
		}
		out += "/" + all + literal(p.Repl.Orig) + "/" + literal(p.Repl.With)
	}
	return out + "}"
}

// isPlainParam reports whether an expansion is a variable, as it is or with one plain operator.
func isPlainParam(p *syntax.ParamExp) bool {
	switch {
	case p.Param == nil, p.NestedParam != nil, p.Flags != nil, p.Width, p.IsSet, p.Excl, p.Index != nil, len(p.Modifiers) > 0, p.Names != 0,
		p.Split != syntax.OptUnset, p.GlobSubst != syntax.OptUnset, p.RcExpand != syntax.OptUnset:
		return false
	case p.Exp != nil && !isPlainOperation(p.Exp), p.Slice != nil && !isPlainSlice(p.Slice), p.Repl != nil && !isPlainReplacement(p.Repl):
		return false
	case p.Length, p.Exp != nil, p.Slice != nil, p.Repl != nil:
		return syntax.ValidName(p.Param.Value)
	}
	return isParameter(p.Param.Value)
}

// literal returns the text of a word that is one piece, or "".
func literal(x *syntax.Word) string {
	if x == nil {
		return ""
	}
	return x.Lit()
}

func isParameter(name string) bool {
	return syntax.ValidName(name) || isDigits(name) || strings.Trim(name, "?@*#$!-") == ""
}

// isPlainOperation reports whether an operator only tests a variable or cuts it, and its
// word means the same in every kind of quotes.
func isPlainOperation(x *syntax.Expansion) bool {
	switch x.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return x.Word == nil || len(x.Word.Parts) == 0 || isPlainText(x.Word, " =")
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		return x.Word == nil || len(x.Word.Parts) == 0
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return x.Word != nil && isPlainText(x.Word, "*?")
	}
	return false
}

func isPlainSlice(s *syntax.Slice) bool {
	return number(s.Offset) != "" && (s.Length == nil || number(s.Length) != "")
}

// number returns an expression that is a plain number, or "".
func number(x syntax.ArithmExpr) string {
	if word, ok := x.(*syntax.Word); ok && isDigits(word.Lit()) {
		return word.Lit()
	}
	return ""
}

func isPlainReplacement(r *syntax.Replace) bool {
	plain := func(x *syntax.Word) bool { return strings.Trim(x.Lit(), nameCharacters+".:@+,-*? ") == "" }
	return r.Orig != nil && r.Orig.Lit() != "" && plain(r.Orig) && (r.With == nil || len(r.With.Parts) == 0 || r.With.Lit() != "" && plain(r.With))
}

func isPlainText(x *syntax.Word, more string) bool {
	text := x.Lit()
	return text != "" && strings.Trim(text, plainCharacters+more) == ""
}

// substitution walks $(…), and reports whether what it prints is a number, a date or the
// name of a commit.
func (w *walker) substitution(c *syntax.CmdSubst) (form string, plain bool) {
	if c.TempFile || c.ReplyVar {
		w.outside("a substitution of another shell")
	}
	before := len(w.script.Parts)
	form = "$( " + w.nested(c.Stmts) + ")"
	call, redirects := onlyCall(c)
	if call == nil || len(w.script.Parts) != before+1 {
		return form, false
	}
	for _, r := range redirects {
		if r.Op != syntax.RdrIn && (r.N == nil || r.N.Value != "2") {
			return form, false
		}
	}
	command := ""
	for _, x := range w.script.Parts[before].own {
		if x.Kind != Static {
			return form, false
		}
		command += x.Text + " "
	}
	// Where files are judged by words, a name might be that of a file.
	return form, printsPlainly.MatchString(command) && (w.held || !strings.HasPrefix(command, "git ") || strings.HasPrefix(command, "git merge-base "))
}

// printsPlainly matches commands that print a number, a date or the name of a commit.
var printsPlainly = regexp.MustCompile(`^(nproc|date \+%[%YmdHMSFsT_:-]*|wc -[lcw]|git merge-base [^- ]\S* [^- ]\S*|git rev-parse (--short )?HEAD|git describe( --tags( --abbrev=0)?)?) $`)

// arithmetic prints an expression over numbers, and over variables that only ever are
// numbers.
func (w *walker) arithmetic(x syntax.ArithmExpr) string {
	switch x := x.(type) {
	case *syntax.Word:
		text := x.Lit()
		if len(x.Parts) == 1 {
			if p, ok := x.Parts[0].(*syntax.ParamExp); ok && w.param(p) == "${"+p.Param.Value+"}" {
				text = p.Param.Value
			}
		}
		if isDigits(text) || w.isNumber(text) {
			return text
		}
	case *syntax.ParenArithm:
		return "( " + w.arithmetic(x.X) + " )"
	case *syntax.UnaryArithm:
		if x.Op != syntax.Inc && x.Op != syntax.Dec {
			return " " + x.Op.String() + " " + w.arithmetic(x.X)
		}
	case *syntax.BinaryArithm:
		if !strings.HasSuffix(x.Op.String(), "=") || x.Op == syntax.Eql || x.Op == syntax.Neq || x.Op == syntax.Leq || x.Op == syntax.Geq {
			return w.arithmetic(x.X) + " " + x.Op.String() + " " + w.arithmetic(x.Y)
		}
	}
	if x == nil {
		w.outside("empty arithmetic")
		return ""
	}
	w.outside("arithmetic over " + w.text(x) + ", which may be no number")
	w.inside(x)
	return ""
}
