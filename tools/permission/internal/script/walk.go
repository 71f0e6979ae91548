package script

import (
	"fmt"
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/internal/bash"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// walker walks the tree of a script and collects its units. It refuses every kind of node
// that it does not know.
type walker struct {
	roots   place.Roots
	expand  word.Expander
	source  string // the text that positions refer to
	units   []*Unit
	refused string // the first reason why no rule can allow the script
	budget  int    // how many more simple commands are allowed
	depth   int    // how many substitutions and strings are around the current node
	cdpath  bool   // cd may lead elsewhere: CDPATH is set, or cd is another command
	strings int    // bytes of scripts given as strings
	// unordered says that parts of the script may run again, later or at the same time.
	unordered bool
	// shell is the shell that reads the script, "" for bash.
	shell string
	moves []int // the offsets in source where the directory may change, ascending
	// piped says that the next command reads the output of another.
	piped bool
	// feeding counts the pipes and redirects into commands around the current node.
	feeding int
	// scripts are the words of commands that are scripts themselves, printed.
	scripts map[*syntax.CallExpr]map[int]string
	dashes  map[*syntax.CallExpr]int // the index of the word before which a -- is printed
	// known are the variables whose values may be known, vars the values so far.
	known map[string]bool
	vars  map[string]word.Word
}

// refuse records the first reason why no rule can allow the script.
func (w *walker) refuse(why string) {
	if w.refused == "" {
		w.refused = why
	}
}

// construct appends a unit that no pattern can name: the catch-all decides.
func (w *walker) construct(node syntax.Node, why string) {
	w.units = append(w.units, &Unit{
		Source: w.text(node),
		Allows: []AllowForm{{Risks: []program.Risk{program.Unspellable(why)}}},
	})
}

// count takes a simple command from the budget.
func (w *walker) count() {
	if w.budget == 0 {
		w.refuse(fmt.Sprintf("it has more than %d commands", MaxCommands))
		return
	}
	w.budget--
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

// script walks a whole script: the command, or one that a shell gets as a string. It
// returns the script to run in its place.
func (w *walker) script(text string, at Cwd) (printed string, out outcome) {
	if why := whyNotParsed(text); why != "" {
		w.refuse(why)
		return "", stays(at)
	}
	file, err := bash.Parse(text)
	if err != nil {
		w.refuse("the command cannot be read as bash: " + err.Error())
		return "", stays(at)
	}
	source, moves, known, vars := w.source, w.moves, w.known, w.vars
	w.source, w.moves, w.known, w.vars = text, w.directoryChanges(file), w.knownNames(file), map[string]word.Word{}
	out = w.stmts(file.Stmts, at)
	w.source, w.moves, w.known, w.vars = source, moves, known, vars
	return w.print(file), out
}

// print returns the script to run in place of one that was walked.
func (w *walker) print(file *syntax.File) string {
	if w.refused != "" {
		return ""
	}
	p := word.Printer{Expand: w.expand, Scripts: w.scripts, Dashes: w.dashes, Posix: w.shell != ""}
	text := p.File(file.Stmts)
	if p.Why != "" {
		w.refuse(p.Why)
	}
	return text
}

// replace has a word of a command printed as the given script.
func (w *walker) replace(s simple, at int, script string) {
	if w.scripts[s.call] == nil {
		w.scripts[s.call] = map[int]string{}
	}
	w.scripts[s.call][s.first+at] = script
}

// nested walks a substitution, which runs in a subshell.
func (w *walker) nested(stmts []*syntax.Stmt, at Cwd) {
	w.depth++
	if w.depth > MaxDepth {
		w.refuse(fmt.Sprintf("substitutions are nested more than %d deep", MaxDepth))
	} else {
		w.scoped(func() { w.stmts(stmts, at) })
	}
	w.depth--
}

// stmts walks a list joined by ; & or newlines.
func (w *walker) stmts(list []*syntax.Stmt, at Cwd) outcome {
	out := stays(at)
	for _, stmt := range list {
		if w.refused != "" {
			return out
		}
		out = w.stmt(stmt, out.either)
	}
	return out
}

// stmt walks one statement with its redirects.
func (w *walker) stmt(stmt *syntax.Stmt, at Cwd) outcome {
	if w.refused != "" {
		return stays(at)
	}
	if stmt.Coprocess || stmt.Disown {
		w.refuse("it holds a construct of another shell")
		return stays(at)
	}
	w.unordered = w.unordered || stmt.Background
	if stmt.Background {
		vars := w.vars
		w.vars = maps.Clone(vars)
		defer func() { w.vars = vars }()
	}
	inputs := w.redirects(stmt, at)
	if feeds(stmt) {
		w.feeding++
		defer func() { w.feeding-- }()
	}
	var out outcome
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok {
		out = w.call(call, inputs, isFed(stmt), at)
		if len(call.Args) == 0 && len(stmt.Redirs) == 0 && !stmt.Background {
			w.setAlone(call)
		}
	} else {
		w.inputsAlone(stmt, inputs, at)
		out = w.command(stmt.Cmd, at)
	}
	switch {
	case stmt.Background:
		return stays(at)
	case stmt.Negated:
		return stays(out.either)
	}
	return out
}

// command walks a command that is not a simple one.
func (w *walker) command(cmd syntax.Command, at Cwd) outcome {
	switch cmd := cmd.(type) {
	case nil:
		w.count() // a redirect alone
	case *syntax.Block:
		return w.stmts(cmd.Stmts, at)
	case *syntax.Subshell:
		w.scoped(func() { w.stmts(cmd.Stmts, at) })
	case *syntax.BinaryCmd:
		return w.binary(cmd, at)
	case *syntax.IfClause:
		return w.ifClause(cmd, at)
	case *syntax.WhileClause:
		at = w.inLoop(cmd, at)
		var out outcome
		w.scoped(func() { out = w.stmts(cmd.Do, w.stmts(cmd.Cond, at).either) })
		return stays(at.with(out.either))
	case *syntax.ForClause:
		return w.forClause(cmd, at)
	case *syntax.CaseClause:
		return w.caseClause(cmd, at)
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			return w.stmt(cmd.Stmt, at)
		}
	case *syntax.TestClause:
		w.count()
		w.testClause(cmd, at)
	case *syntax.DeclClause:
		return w.declaration(cmd, at)
	default:
		return w.guardedCommand(cmd, at)
	}
	return stays(at)
}

// guardedCommand walks the kinds of commands that only a catch-all can allow.
func (w *walker) guardedCommand(cmd syntax.Command, at Cwd) outcome {
	w.unordered = true
	switch cmd := cmd.(type) {
	case *syntax.FuncDecl:
		w.construct(cmd, "it defines a function")
		w.cdpath = w.cdpath || changesDirectory(cmd.Name)
		w.stmt(cmd.Body, at.away())
		if w.changesDir(cmd.Body) {
			return stays(at.away())
		}
	case *syntax.ArithmCmd:
		w.count()
		w.construct(cmd, "it evaluates arithmetic")
		w.arithmetic(cmd.X, at)
	default:
		w.refuse("it holds a construct that no rule can allow, such as coproc or let")
	}
	return stays(at)
}

// binary walks && || and pipes. What follows && runs in the directory that the first part
// changed to; the parts of a pipeline are subshells.
func (w *walker) binary(cmd *syntax.BinaryCmd, at Cwd) outcome {
	var x, y outcome
	switch cmd.Op {
	case syntax.AndStmt:
		x = w.stmt(cmd.X, at)
		w.scoped(func() { y = w.stmt(cmd.Y, x.succeeded) })
		return outcome{y.succeeded, x.either.with(y.either)}
	case syntax.OrStmt:
		w.scoped(func() { x = w.stmt(cmd.X, at) })
		w.scoped(func() { y = w.stmt(cmd.Y, x.either) })
		return outcome{x.succeeded.with(y.succeeded), x.either.with(y.either)}
	case syntax.Pipe, syntax.PipeAll:
		w.scoped(func() { w.stmt(cmd.X, at) })
		w.unordered = true
		_, w.piped = cmd.Y.Cmd.(*syntax.CallExpr)
		w.feeding++
		w.scoped(func() { w.stmt(cmd.Y, at) })
		w.feeding--
		w.piped = false
	default:
		w.refuse("it joins commands in a way that is not known here")
	}
	return stays(at)
}

func (w *walker) ifClause(cmd *syntax.IfClause, at Cwd) outcome {
	out := at
	w.scoped(func() {
		cond := w.stmts(cmd.Cond, at).either
		w.scoped(func() { out = cond.with(w.stmts(cmd.Then, cond).either) })
		if cmd.Else != nil {
			out = out.with(w.ifClause(cmd.Else, cond).either)
		}
	})
	return stays(out)
}

func (w *walker) caseClause(cmd *syntax.CaseClause, at Cwd) outcome {
	w.word(cmd.Word, at)
	out := at
	for _, item := range cmd.Items {
		for _, pattern := range item.Patterns {
			w.word(pattern, out)
		}
		w.scoped(func() { out = out.with(w.stmts(item.Stmts, out).either) })
	}
	return stays(out)
}

// inLoop returns the directory of a loop's body, which may run again after itself.
func (w *walker) inLoop(loop syntax.Node, at Cwd) Cwd {
	w.unordered = true
	if w.changesDir(loop) {
		return at.away()
	}
	return at
}

func (w *walker) forClause(cmd *syntax.ForClause, at Cwd) outcome {
	at = w.inLoop(cmd, at)
	if cmd.Select {
		w.refuse("it asks with select")
	}
	switch loop := cmd.Loop.(type) {
	case *syntax.WordIter:
		if !word.IsFreeVariable(loop.Name.Value) {
			w.construct(loop, fmt.Sprintf("it sets the variable %s", loop.Name.Value))
		}
		for _, item := range loop.Items {
			w.word(item, at)
		}
		var out outcome
		w.scoped(func() {
			w.setLoopVariable(loop.Name.Value, loop.Items)
			out = w.stmts(cmd.Do, at)
		})
		return stays(at.with(out.either))
	case *syntax.CStyleLoop:
		w.construct(loop, "it evaluates arithmetic")
		for _, x := range []syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post} {
			w.arithmetic(x, at)
		}
	default:
		w.refuse("it holds a loop that is not known here")
	}
	return stays(at.with(w.stmts(cmd.Do, at).either))
}

// changesDir reports whether a command in a node may change the directory.
func (w *walker) changesDir(node syntax.Node) bool {
	i, _ := slices.BinarySearch(w.moves, int(node.Pos().Offset()))
	return i < len(w.moves) && w.moves[i] < int(node.End().Offset())
}

// changesDirectory reports whether a function of that name replaces cd.
func changesDirectory(name *syntax.Lit) bool {
	return name == nil || name.Value == "cd" || name.Value == "builtin" || name.Value == "command"
}

// directoryChanges returns the offsets of the commands that may change the directory,
// however they are spelled. A command whose name is not known may.
func (w *walker) directoryChanges(file *syntax.File) (at []int) {
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 && w.movesAway(call.Args) {
			at = append(at, int(call.Pos().Offset()))
		}
		return true
	})
	slices.Sort(at)
	return at
}

func (w *walker) movesAway(args []*syntax.Word) bool {
	words, ok := w.expand.ExpandAll(args)
	if !ok || len(words) > 0 && words[0].Kind != word.Static {
		return true
	}
	if len(words) == 0 {
		return false
	}
	return program.Named(program.NameOf(words[0])).Moves
}
