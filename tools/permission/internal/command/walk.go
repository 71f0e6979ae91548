package command

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// walker walks the tree of a script, collects its parts, and prints it.
type walker struct {
	roots   place.Roots
	held    bool
	script  *Script
	refused string // the first reason why no rule can allow the script
	budget  int    // how many more simple commands are allowed
	strings int    // bytes of scripts given as strings
	context
}

// context is what depends on where in the script the current node is.
type context struct {
	source string // the text that positions refer to
	depth  int    // how many substitutions and strings are around
	// at is where the current command runs, then where one runs that follows it by &&.
	at, then Cwd
	sets     assignments
	vars     map[string]Word
	naming   bool // the word is the name of a command: no variable may stand for it
	piped    bool // the next command reads the output of another
	fed      bool // a pipe or a redirect into commands is around
}

// refuse records the first reason why no rule can allow the script.
func (w *walker) refuse(why string) {
	if w.refused == "" {
		w.refused = why
	}
}

// outside notes a construct that is not among those which are judged and printed.
func (w *walker) outside(what string) {
	if w.script.Outside == "" {
		w.script.Outside = what
	}
}

// inside walks the commands in a construct that is not judged itself.
func (w *walker) inside(node syntax.Node) {
	syntax.Walk(node, func(n syntax.Node) bool {
		if stmt, ok := n.(*syntax.Stmt); ok && n != node {
			w.stmt(stmt)
			return false
		}
		return w.refused == ""
	})
}

// count takes a simple command from the budget.
func (w *walker) count() {
	if w.budget--; w.budget < 0 {
		w.refuse(fmt.Sprintf("it has more than %d commands", MaxCommands))
	}
}

const maxPartSource = 400

// text returns the source of a node, cut to maxPartSource bytes.
func (w *walker) text(node syntax.Node) string {
	from, to := int(node.Pos().Offset()), int(node.End().Offset())
	if from > to || to > len(w.source) {
		return ""
	}
	if to-from > maxPartSource {
		return w.source[from:from+maxPartSource] + "…"
	}
	return w.source[from:to]
}

// subshell walks what changes neither directory nor variables of what follows.
func (w *walker) subshell(walk func() string) string {
	before := w.context
	w.vars = maps.Clone(w.vars)
	out := walk()
	w.context = before
	return out
}

// nested walks a substitution.
func (w *walker) nested(stmts []*syntax.Stmt) string {
	return w.subshell(func() string {
		if w.depth++; w.depth > MaxDepth {
			w.refuse(fmt.Sprintf("substitutions are nested more than %d deep", MaxDepth))
			return ""
		}
		w.piped, w.naming = false, false
		return w.list(stmts)
	})
}

// list walks commands that follow each other, and prints each with a ; or & after it.
func (w *walker) list(stmts []*syntax.Stmt) string {
	var out strings.Builder
	for _, s := range stmts {
		out.WriteString(w.stmt(s))
		if s.Background {
			out.WriteString(" & ")
		} else {
			out.WriteString("; ")
		}
	}
	return out.String()
}

// stmt walks one statement. In the background it changes neither directory nor variables.
func (w *walker) stmt(s *syntax.Stmt) string {
	w.then = w.at
	switch {
	case w.refused != "":
		return ""
	case s.Background:
		return w.subshell(func() string { return w.redirected(s) })
	}
	return w.redirected(s)
}

// redirected walks a statement with its redirects.
func (w *walker) redirected(s *syntax.Stmt) string {
	if s.Coprocess || s.Disown {
		w.outside("a coprocess")
	}
	fed := w.fed
	redirects, inputs := w.redirects(s)
	w.fed = fed || feeds(s)
	var out string
	switch cmd := s.Cmd.(type) {
	case nil:
		w.count()
		w.openInputs(s, inputs)
	case *syntax.CallExpr:
		out = w.call(cmd, inputs, len(s.Redirs) == 0)
	default:
		w.openInputs(s, inputs)
		out = w.command(cmd)
	}
	w.fed = fed
	for _, r := range redirects {
		out = strings.TrimLeft(out+" "+r, " ")
	}
	if s.Negated {
		out = "! " + out
		w.then = w.at
	}
	return out
}

// command walks a command that is not a simple one.
func (w *walker) command(cmd syntax.Command) string {
	switch cmd := cmd.(type) {
	case *syntax.Block:
		return "{ " + w.list(cmd.Stmts) + "}"
	case *syntax.Subshell:
		return "( " + w.subshell(func() string { return w.list(cmd.Stmts) }) + ")"
	case *syntax.BinaryCmd:
		return w.binary(cmd)
	case *syntax.IfClause:
		return w.ifClause(cmd)
	case *syntax.WhileClause:
		word := "while "
		if cmd.Until {
			word = "until "
		}
		return word + w.loop(cmd, func() string { return w.list(cmd.Cond) + "do " + w.list(cmd.Do) + "done" })
	case *syntax.ForClause:
		return w.forClause(cmd)
	case *syntax.CaseClause:
		return w.caseClause(cmd)
	case *syntax.TimeClause:
		out := "time "
		if cmd.PosixFormat {
			out += "-p "
		}
		if cmd.Stmt != nil {
			out += w.stmt(cmd.Stmt)
		}
		return out
	case *syntax.TestClause:
		w.count()
		w.add(simple{source: w.text(cmd), words: []Word{Of("[[")}}, nil, nil)
		return "[[ " + w.test(cmd.X) + " ]]"
	}
	w.unjudged(cmd)
	w.count()
	if _, defines := cmd.(*syntax.FuncDecl); defines || changesDir(cmd) {
		w.lose()
	}
	return ""
}

// unjudged notes a command that is not judged itself, and walks those in it.
func (w *walker) unjudged(cmd syntax.Node) {
	name, _, _ := strings.Cut(w.text(cmd), "\n")
	w.outside(name[:min(len(name), 40)])
	w.inside(cmd)
}

// binary walks && || and pipes. What follows && runs in the directory that the first part
// changed to.
func (w *walker) binary(cmd *syntax.BinaryCmd) string {
	var x, y string
	switch cmd.Op {
	case syntax.AndStmt:
		x = w.stmt(cmd.X)
		either := w.at
		w.at = w.then
		y = w.scoped(func() string { return w.stmt(cmd.Y) })
		w.at = either.or(w.at)
	case syntax.OrStmt:
		x = w.scoped(func() string { return w.stmt(cmd.X) })
		either, then := w.at, w.then
		y = w.scoped(func() string { return w.stmt(cmd.Y) })
		w.at, w.then = either.or(w.at), then.or(w.then)
	case syntax.Pipe, syntax.PipeAll:
		x = w.subshell(func() string { return w.stmt(cmd.X) })
		y = w.subshell(func() string {
			_, w.piped = cmd.Y.Cmd.(*syntax.CallExpr)
			w.fed = true
			return w.stmt(cmd.Y)
		})
	default:
		w.refuse("it joins commands in a way that is not known here")
	}
	return x + " " + cmd.Op.String() + " " + y
}

func (w *walker) ifClause(cmd *syntax.IfClause) string {
	return w.scoped(func() string {
		out := "if " + w.list(cmd.Cond)
		cond := w.at
		out += "then " + w.scoped(func() string { return w.list(cmd.Then) })
		end := cond.or(w.at)
		switch next := cmd.Else; {
		case next == nil:
			out += "fi"
		case next.ThenPos.IsValid():
			w.at = cond
			out += "el" + w.ifClause(next)
		default:
			w.at = cond
			out += "else " + w.scoped(func() string { return w.list(next.Then) }) + "fi"
		}
		w.at = end.or(w.at)
		w.then = w.at
		return out
	})
}

func (w *walker) caseClause(cmd *syntax.CaseClause) string {
	out := "case " + w.whole(cmd.Word).form + " in "
	for _, item := range cmd.Items {
		var patterns []string
		for _, pattern := range item.Patterns {
			word, _ := w.parts(pattern.Parts, false)
			patterns = append(patterns, word.form)
		}
		before := w.at
		out += "(" + strings.Join(patterns, " | ") + ") " + w.scoped(func() string { return w.list(item.Stmts) })
		w.at = before.or(w.at)
		if op := item.Op.String(); item.OpPos.IsValid() && op != ";;" {
			out += op + " "
		} else {
			out += ";; "
		}
	}
	w.then = w.at
	return out + "esac"
}

// loop walks what may run again after itself.
func (w *walker) loop(node syntax.Node, walk func() string) string {
	before := w.at
	if changesDir(node) {
		w.at = w.at.away()
	}
	out := w.scoped(walk)
	w.at = before.or(w.at)
	w.then = w.at
	return out
}

// changesDir reports whether a command in a node, but not in a subshell, may change the directory.
func changesDir(node syntax.Node) (found bool) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.CallExpr:
			name := ":"
			if len(n.Args) > 0 {
				name = plainName(n.Args[0])
			}
			found = found || name == "" || list("cd pushd popd . source command builtin").has(name)
		}
		return !found
	})
	return found
}

// forClause walks a loop over words. If these are few and known, its body is judged for
// each of them.
func (w *walker) forClause(cmd *syntax.ForClause) string {
	loop, ok := cmd.Loop.(*syntax.WordIter)
	if !ok || cmd.Select || !loop.InPos.IsValid() || !isOwnVariable(loop.Name.Value) {
		w.unjudged(cmd)
		return ""
	}
	items := w.words(loop.Items)
	out := "for " + loop.Name.Value + " in"
	for _, x := range items {
		out += " " + x.form
	}
	body := func(value Word) string {
		return w.loop(cmd, func() string {
			w.set(loop.Name.Value, value)
			return "; do " + w.list(cmd.Do) + "done"
		})
	}
	if len(items) == 0 || len(items) > maxLoop || slices.ContainsFunc(items, func(x Word) bool { return x.Kind == Unknown }) {
		plain := !slices.ContainsFunc(items, func(x Word) bool { return !x.Plain && (x.Kind != Static || !isDigits(x.Text)) })
		return out + body(Word{Kind: Unknown, Plain: plain})
	}
	printed, option := "", slices.ContainsFunc(items, Word.mayBeOption)
	for i, x := range items {
		x.option = option // so that it is printed in the same way
		again := body(x)
		if i > 0 && again != printed && w.refused == "" {
			w.refuse("the body of a loop is not the same for each of its words")
		}
		printed = again
	}
	return out + printed
}

// test prints the expression in [[ ]].
func (w *walker) test(x syntax.TestExpr) string {
	switch x := x.(type) {
	case *syntax.Word:
		return w.whole(x).form
	case *syntax.ParenTest:
		return "( " + w.test(x.X) + " )"
	case *syntax.UnaryTest:
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar {
			w.outside("[[ " + x.Op.String() + " ]]")
		}
		return x.Op.String() + " " + w.test(x.X)
	case *syntax.BinaryTest:
		left := w.test(x.X) + " " + x.Op.String() + " "
		right, isWord := x.Y.(*syntax.Word)
		switch {
		case isWord && x.Op == syntax.TsReMatch:
			return left + w.expression(right)
		case isWord && (x.Op == syntax.TsMatch || x.Op == syntax.TsMatchShort || x.Op == syntax.TsNoMatch):
			word, _ := w.parts(right.Parts, false)
			return left + word.form
		case list("-eq -ne -le -ge -lt -gt").has(x.Op.String()) && !(isDigits(w.text(x.X)) && isDigits(w.text(x.Y))):
			w.outside("a comparison of numbers in [[ ]] (write it with [ ])")
		}
		return left + w.test(x.Y)
	}
	w.outside("a test of another shell")
	return ""
}

// plainRegexp matches a part of a regular expression that means the same without quotes.
var plainRegexp = regexp.MustCompile(`^([\w^.*+?()\[\]{}|/:,=@%-]|\\[!-~]|\$([)|]|$))*$`)

// expression prints the regular expression after =~, whose unquoted parts have to stay
// unquoted.
func (w *walker) expression(word *syntax.Word) (out string) {
	for _, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			piece, _ := w.parts([]syntax.WordPart{part}, true)
			out += piece.form
			continue
		}
		if !plainRegexp.MatchString(lit.Value) {
			w.outside("the regular expression " + lit.Value)
		}
		out += lit.Value
	}
	return out
}
