package permission

import (
	"maps"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// A variable that a script sets once, in plain sight, has a value that is known
// where it is used: the text after =, or each of the names that the glob of a for
// loop becomes. Of all others nothing is known.

// knownNames returns the variables whose only value a script sets where it can be
// seen.
func (w *walker) knownNames(file *syntax.File) map[string]bool {
	set := assignments{count: map[string]int{}}
	syntax.Walk(file, func(n syntax.Node) bool {
		set.note(w.expand, n)
		return !set.hidden
	})
	known := map[string]bool{}
	for name, n := range set.count {
		known[name] = n == 1 && !set.hidden && isFreeVariable(name)
	}
	return known
}

// assignments counts what a script does to variables.
type assignments struct {
	count map[string]int
	// hidden says that something in it may set any variable.
	hidden bool
}

func (a *assignments) note(e expander, n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Assign:
		if n.Name != nil {
			a.count[n.Name.Value]++
			a.hidden = a.hidden || n.Name.Value == "IFS" || n.Append
		}
	case *syntax.DeclClause:
		for _, arg := range n.Args {
			if arg.Name != nil {
				a.count[arg.Name.Value] += 2
			}
			a.hidden = a.hidden || arg.Name == nil
		}
	case *syntax.WordIter:
		a.count[n.Name.Value]++
	case *syntax.ForClause:
		a.hidden = a.hidden || n.Select
	case *syntax.ParamExp:
		a.hidden = a.hidden || n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull)
	case *syntax.Redirect:
		a.hidden = a.hidden || n.N != nil && strings.HasPrefix(n.N.Value, "{")
	case *syntax.FuncDecl, *syntax.LetClause, *syntax.ArithmCmd, *syntax.CStyleLoop, *syntax.CoprocClause:
		a.hidden = true
	case *syntax.ArithmExp:
		a.hidden = a.hidden || !constantArithmetic(n.X)
	case *syntax.CallExpr:
		a.command(e, n)
	}
}

// command notes what a simple command may do to variables.
func (a *assignments) command(e expander, call *syntax.CallExpr) {
	words, ok := e.expandAll(call.Args)
	if len(words) == 0 && ok {
		return
	}
	if !ok || words[0].kind != static {
		a.hidden = true
		return
	}
	known := named(programName(words[0]))
	switch {
	case programName(words[0]) == "read" && isPlainRead(words):
		for _, x := range words[1:] {
			a.count[x.text] += 2
		}
	case words[0].is("printf") && !namesVariable(words), words[0].is("test"), words[0].is("["):
	case known.subscripts != nil, known.runs != 0 && known.runs != movesDir && known.runs != executesFound && known.runs != shellScript,
		known.wrapper != nil && known.wrapper.inShell, words[0].is("let"):
		a.hidden = true
	}
}

// setAlone notes the variables that are set by a command that does nothing else.
func (w *walker) setAlone(call *syntax.CallExpr) {
	for _, a := range call.Assigns {
		if a.Name != nil && a.Index == nil && a.Array == nil && !a.Append && !a.Naked {
			w.setVariable(a.Name.Value, w.expand.whole(a.Value))
		}
	}
}

// setVariable notes the value of a variable that is set alone. It may hold what is one
// harmless word.
func (w *walker) setVariable(name string, value word) {
	if w.known[name] && (value.kind == static || value.kind == opaque || value.kind == dynamic && value.plain) {
		w.vars[name] = value
	}
}

// setLoopVariable notes what the variable of a for loop is in its body.
func (w *walker) setLoopVariable(name string, items []*syntax.Word) {
	words, ok := w.expand.expandAll(items)
	if !w.known[name] || !ok || len(words) == 0 {
		return
	}
	value := word{kind: opaque}
	plain := true
	for _, x := range words {
		if x.kind != opaque && (x.kind != static || !isDigits(x.text)) {
			value = word{kind: dynamic}
		}
		plain = plain && x.kind == static && isOneText(x.text) && strings.IndexByte("-+", x.text[0]) < 0
	}
	if value.plain = plain; len(words) == 1 && (words[0].kind == static || words[0].kind == globbed) {
		value = words[0]
	}
	w.vars[name] = value
}

// scoped walks what may not run, or runs in a shell of its own: what it sets is not
// known behind it.
func (w *walker) scoped(walk func()) {
	before := w.vars
	w.vars = maps.Clone(before)
	walk()
	w.vars = before
}

// noteValue notes the value of a variable where it is used.
func (w *walker) noteValue(p *syntax.ParamExp) {
	value, ok := w.vars[p.Param.Value]
	if ok && p.Exp == nil && p.Repl == nil && p.Slice == nil && p.Index == nil && !p.Excl && !p.Length && p.Names == 0 {
		w.expand.values[p] = value
	}
}

// isOneText reports whether a text stays one word where it is split and globbed.
func isOneText(text string) bool {
	return text != "" && strings.Trim(text, nameCharacters+"./:@%+,-") == ""
}

// variable adds a variable whose value is known, and reports whether it is. In quotes
// it is one word, else one where nothing in it is split or a glob.
func (b *wordBuilder) variable(p *syntax.ParamExp, value word, quoted bool) bool {
	switch {
	case value.kind == static && (quoted || isOneText(value.text)):
		b.quoted(value.text)
		return true
	case value.kind == opaque:
		b.become(opaque)
	case value.kind == globbed && quoted:
		b.chosen = true
		if !b.glob {
			b.glob, b.atoms = true, pattern.Literals(b.text.String())
		}
		b.atoms = append(b.atoms, value.atoms...)
		b.text.WriteString(value.text)
	case value.kind == dynamic && value.plain:
		b.plain = b.plain || b.kind < dynamic && b.text.Len() == 0 && !b.glob
		b.become(dynamic)
	default:
		return false
	}
	b.expansion(p, quoted)
	return true
}

// substitution adds what a command prints.
func (b *wordBuilder) substitution(e expander, c *syntax.CmdSubst, otherwise wordKind) {
	words, reads := printing(e, c)
	switch {
	case printsNumber(words, reads):
		b.become(opaque)
	case printsCommit(words):
		b.plain = b.plain || b.kind < dynamic && b.text.Len() == 0 && !b.glob
		b.become(dynamic)
	default:
		b.become(otherwise)
	}
}

// printsNumber reports whether a command prints a number, a date or a commit's hash,
// which is one word and no option.
func printsNumber(words []string, reads bool) bool {
	switch {
	case len(words) == 0:
		return false
	case words[0] == "nproc" && len(words) == 1:
		return true
	case words[0] == "git" && len(words) == 4:
		return words[1] == "merge-base" && isOperandText(words[2]) && isOperandText(words[3])
	case words[0] == "date" && len(words) == 2:
		format, ok := strings.CutPrefix(words[1], "+%")
		return ok && strings.Trim(strings.NewReplacer("%Y", "", "%m", "", "%d", "", "%H", "", "%M", "", "%S", "", "%s", "", "%F", "", "%T", "").Replace("%"+format), "_-:") == ""
	}
	return words[0] == "wc" && len(words) == 2 && (words[1] == "-l" || words[1] == "-c" || words[1] == "-w") && reads
}

// printsCommit reports whether a command prints the name of a commit, as far as git
// makes such names.
func printsCommit(words []string) bool {
	switch strings.Join(words, " ") {
	case "git rev-parse HEAD", "git rev-parse --short HEAD", "git describe --tags --abbrev=0", "git describe --tags", "git describe":
		return true
	}
	return false
}

func isOperandText(text string) bool { return text != "" && text[0] != '-' }

// printing returns the words of the command whose output a substitution is, where they
// are known and nothing else is printed; reads says that it reads a file.
func printing(e expander, c *syntax.CmdSubst) (words []string, reads bool) {
	if len(c.Stmts) != 1 || c.TempFile || c.ReplyVar {
		return nil, false
	}
	stmt := c.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Background || stmt.Negated || len(call.Assigns) > 0 {
		return nil, false
	}
	expanded, ok := e.expandAll(call.Args)
	if !ok {
		return nil, false
	}
	for _, r := range stmt.Redirs {
		if r.Op == syntax.RdrIn && r.N == nil {
			reads = true
		} else if r.Op != syntax.RdrOut || r.N == nil || r.N.Value != "2" {
			return nil, false
		}
	}
	for _, x := range expanded {
		if x.kind != static {
			return nil, false
		}
		words = append(words, x.text)
	}
	return words, reads
}
