package word

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Printer prints a tree as the script to run, which is what was judged and not the text
// that was parsed. It puts known text in single quotes and each expansion in braces, and
// fails on a construct that two shells may read differently. Unlike the parser's own
// printer it prints only the constructs that it lists.
type Printer struct {
	out    strings.Builder
	Expand Expander
	// Scripts are the words of commands that are scripts themselves, printed. An empty
	// one is left out.
	Scripts map[*syntax.CallExpr]map[int]string
	// Dashes are the indexes of the words of commands before which a -- is printed.
	Dashes map[*syntax.CallExpr]int
	// Posix says that a shell other than bash reads the script.
	Posix bool
	Why   string // the first reason why the script can't be printed
	lines int    // how many newlines the top level has so far
}

// fail records the first reason why the script can't be printed.
func (p *Printer) fail(why string) {
	if p.Why == "" {
		p.Why = "it can't be written so that it is read in one way: " + why
	}
}

// blank prints a blank, unless there is one already.
func (p *Printer) blank() {
	if text := p.out.String(); text != "" && !strings.HasSuffix(text, " ") && !strings.HasSuffix(text, "\n") {
		p.put(" ")
	}
}

func (p *Printer) put(text ...string) {
	for _, t := range text {
		p.out.WriteString(t)
	}
}

// File prints a whole script. Commands keep their line numbers as far as possible.
func (p *Printer) File(stmts []*syntax.Stmt) string {
	for i, s := range stmts {
		if i > 0 {
			p.put("\n")
		}
		for p.lines = strings.Count(p.out.String(), "\n"); p.lines+1 < int(s.Pos().Line()); p.lines++ {
			p.put("\n")
		}
		p.stmt(s)
		if s.Background {
			p.put(" &")
		}
	}
	return p.out.String()
}

// list prints commands on one line, each with a ; or & after it.
func (p *Printer) list(stmts []*syntax.Stmt) {
	for _, s := range stmts {
		p.stmt(s)
		if s.Background {
			p.put(" & ")
		} else {
			p.put("; ")
		}
	}
}

// single prints a command where an & has no place.
func (p *Printer) single(s *syntax.Stmt) {
	if s.Background {
		p.fail("a part of a command is in the background")
	}
	p.stmt(s)
}

func (p *Printer) stmt(s *syntax.Stmt) {
	if s.Negated {
		p.put("! ")
	}
	if s.Cmd != nil {
		p.command(s.Cmd)
	}
	for _, r := range s.Redirs {
		p.blank()
		p.redirect(r)
	}
}

func (p *Printer) command(cmd syntax.Command) {
	switch cmd := cmd.(type) {
	case *syntax.CallExpr:
		p.call(cmd)
	case *syntax.Block:
		p.put("{ ")
		p.list(cmd.Stmts)
		p.put("}")
	case *syntax.Subshell:
		p.put("( ")
		p.list(cmd.Stmts)
		p.put(")")
	case *syntax.BinaryCmd:
		p.single(cmd.X)
		p.put(" ", cmd.Op.String(), " ")
		p.single(cmd.Y)
	case *syntax.IfClause:
		p.ifClause(cmd)
	case *syntax.WhileClause:
		word := "while "
		if cmd.Until {
			word = "until "
		}
		p.put(word)
		p.list(cmd.Cond)
		p.body(cmd.Do)
	case *syntax.ForClause:
		p.forClause(cmd)
	case *syntax.CaseClause:
		p.caseClause(cmd)
	case *syntax.TimeClause:
		p.put("time ")
		if cmd.PosixFormat {
			p.put("-p ")
		}
		if cmd.Stmt != nil {
			p.single(cmd.Stmt)
		}
	case *syntax.TestClause:
		p.put("[[ ")
		p.test(cmd.X)
		p.put(" ]]")
	case *syntax.DeclClause:
		p.declaration(cmd)
	default:
		p.rare(cmd)
	}
}

// rare prints the kinds of commands that only a catch-all can allow.
func (p *Printer) rare(cmd syntax.Command) {
	switch cmd := cmd.(type) {
	case *syntax.FuncDecl:
		if cmd.Name == nil || !isName(cmd.Name.Value) || isReservedWord(cmd.Name.Value) {
			p.fail("the name of a function")
			return
		}
		p.put(cmd.Name.Value, " () ")
		p.single(cmd.Body)
	case *syntax.ArithmCmd:
		p.put("(( ")
		p.arithmetic(cmd.X)
		p.put(" ))")
	default:
		p.fail("a construct that is not known here")
	}
}

func (p *Printer) body(stmts []*syntax.Stmt) {
	p.put("do ")
	p.list(stmts)
	p.put("done")
}

func (p *Printer) ifClause(cmd *syntax.IfClause) {
	p.put("if ")
	for {
		p.list(cmd.Cond)
		p.put("then ")
		p.list(cmd.Then)
		if cmd = cmd.Else; cmd == nil || !cmd.ThenPos.IsValid() {
			break
		}
		p.put("elif ")
	}
	if cmd != nil {
		p.put("else ")
		p.list(cmd.Then)
	}
	p.put("fi")
}

func (p *Printer) forClause(cmd *syntax.ForClause) {
	p.put("for ")
	switch loop := cmd.Loop.(type) {
	case *syntax.WordIter:
		if !syntax.ValidName(loop.Name.Value) {
			p.fail("the variable of a loop")
		}
		p.put(loop.Name.Value)
		if loop.InPos.IsValid() {
			p.put(" in")
			p.words(loop.Items, nil, 0)
		}
		p.put("; ")
	case *syntax.CStyleLoop:
		p.put("((")
		for i, x := range []syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post} {
			if i > 0 {
				p.put("; ")
			}
			if x != nil {
				p.arithmetic(x)
			}
		}
		p.put(")); ")
	default:
		p.fail("a loop that is not known here")
	}
	p.body(cmd.Do)
}

func (p *Printer) caseClause(cmd *syntax.CaseClause) {
	p.put("case ")
	p.whole(cmd.Word)
	p.put(" in ")
	for _, item := range cmd.Items {
		p.put("(")
		for i, pattern := range item.Patterns {
			if i > 0 {
				p.put(" | ")
			}
			p.pattern(pattern)
		}
		p.put(") ")
		p.list(item.Stmts)
		op := item.Op.String()
		if !item.OpPos.IsValid() {
			op = ";;"
		}
		p.put(op, " ")
	}
	p.put("esac")
}

// call prints a simple command.
func (p *Printer) call(cmd *syntax.CallExpr) {
	for _, a := range cmd.Assigns {
		p.blank()
		p.assign(a)
	}
	p.words(cmd.Args, p.Scripts[cmd], p.Dashes[cmd])
}

// declaration prints export and its like, which bash knows by their bare names.
func (p *Printer) declaration(cmd *syntax.DeclClause) {
	p.put(cmd.Variant.Value)
	for _, a := range cmd.Args {
		switch {
		case !a.Naked:
			p.put(" ")
			p.assign(a)
		case a.Name == nil:
			p.words([]*syntax.Word{a.Value}, nil, 0)
		case a.Index != nil || !syntax.ValidName(a.Name.Value):
			p.fail("the name of a variable")
		default:
			p.put(" ", a.Name.Value)
		}
	}
}

func (p *Printer) assign(a *syntax.Assign) {
	if a.Name == nil || !syntax.ValidName(a.Name.Value) {
		p.fail("the name of a variable")
		return
	}
	p.put(a.Name.Value)
	p.index(a.Index)
	if a.Append {
		p.put("+")
	}
	p.put("=")
	if a.Array == nil {
		if a.Value != nil {
			p.whole(a.Value)
		}
		return
	}
	p.put("(")
	for _, e := range a.Array.Elems {
		switch {
		case e.Index == nil && e.Value != nil:
			p.words([]*syntax.Word{e.Value}, nil, 0)
		case e.Index != nil:
			p.put(" ")
			p.index(e.Index)
			p.put("=")
			if e.Value != nil {
				p.whole(e.Value)
			}
		}
	}
	p.put(")")
}

func (p *Printer) redirect(r *syntax.Redirect) {
	if r.N != nil {
		name, braces := strings.CutPrefix(r.N.Value, "{")
		if name = strings.TrimSuffix(name, "}"); braces && (p.Posix || !syntax.ValidName(name)) || !braces && !IsDigits(name) {
			p.fail("the descriptor of a redirect")
		}
		p.put(r.N.Value)
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		p.hereDocument(r)
	case syntax.WordHdoc:
		p.hereString()
		p.whole(r.Word)
	case syntax.DplIn, syntax.DplOut:
		switch text := r.Word.Lit(); {
		case IsCopy(text):
			p.put(r.Op.String(), text)
		case r.Op == syntax.DplOut && r.N == nil && !p.Posix:
			// After >& bash expands a word twice.
			p.put("&> ")
			p.target(r.Word)
		default:
			p.fail("what stands after >& or <&")
		}
	case syntax.RdrAll, syntax.AppAll:
		if p.Posix {
			p.fail("a redirect of bash")
		}
		fallthrough
	default:
		p.put(r.Op.String(), " ")
		p.target(r.Word)
	}
}

// target prints the file of a redirect, which is one word.
func (p *Printer) target(word *syntax.Word) {
	if words, ok := p.Expand.Expand(word); !ok || len(words) != 1 {
		p.fail("a redirect to several files")
		return
	}
	alternatives, _ := expandBraces(word.Parts)
	for _, parts := range alternatives {
		p.parts(parts, asWord)
	}
}

func (p *Printer) hereString() {
	if p.Posix {
		p.fail("text that is fed to a command of another shell")
	}
	p.put("<<<")
}

// hereDocument prints a here-document as a here-string, which needs no delimiter.
func (p *Printer) hereDocument(r *syntax.Redirect) {
	if r.Hdoc == nil || len(r.Hdoc.Parts) == 0 {
		p.put("</dev/null")
		return
	}
	p.hereString()
	_, plain := r.Hdoc.Parts[0].(*syntax.Lit)
	if literal := isQuotedDelimiter(r.Word); literal && (!plain || len(r.Hdoc.Parts) > 1) {
		p.fail("the end of a here-document")
	}
	b := wordBuilder{to: p, present: true}
	fresh := true // at the beginning of a line
	for i, part := range r.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			b.flush()
			p.put(`"`)
			p.expansion(part, true)
			p.put(`"`)
			fresh = false
			continue
		}
		text := lit.Value
		if r.Op == syntax.DashHdoc {
			text = withoutTabs(text, fresh)
		}
		fresh = strings.HasSuffix(text, "\n")
		if !isQuotedDelimiter(r.Word) {
			if strings.Contains(text, "\\\n") {
				p.fail("a line of a here-document that ends in a backslash")
			}
			text = unescapeHere(text)
		}
		if i == len(r.Hdoc.Parts)-1 {
			text = strings.TrimSuffix(text, "\n")
		}
		b.quoted(text)
	}
	b.flush()
}

// withoutTabs removes the tabs at the beginning of lines.
func withoutTabs(text string, fresh bool) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if fresh {
			line = strings.TrimLeft(line, "\t")
		}
		out.WriteString(line)
		fresh = true
	}
	return out.String()
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

// unescapeHere removes the backslashes that quote in a here-document.
func unescapeHere(text string) string {
	return strings.NewReplacer(`\\`, `\`, `\$`, `$`, "\\`", "`").Replace(text)
}

// isName reports whether a text can name a function in all shells.
func isName(text string) bool {
	return text != "" && strings.Trim(text, nameCharacters+".:-") == "" && strings.Trim(text[:1], nameCharacters) == ""
}

const nameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

func isReservedWord(text string) bool {
	switch text {
	case "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done", "in", "function", "time", "coproc":
		return true
	}
	return false
}
