package workflows

import (
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxScriptBytes is how long a script with expressions may be.
const maxScriptBytes = 64 << 10

// checkShell finds out how the shell reads each expression of a script: it
// parses the script with variables in their places and looks at where they are
// in the tree.
func (p *parser) checkShell(s *Script) {
	expressions := s.template.expressions()
	if len(expressions) == 0 {
		return
	}
	source := s.source()
	if len(source) > maxScriptBytes {
		p.errorf(s.template.node, codeShell, "a script with expressions may have %s bytes at most", thousands(maxScriptBytes))
		return
	}
	if nesting(source) > maxShellNesting {
		p.errorf(s.template.node, codeShell, "the script is nested more than %d levels deep", maxShellNesting)
		return
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(source), "")
	if err != nil {
		p.shellSyntax(s, err)
		return
	}
	found := shellUses(file, s)
	s.uses = make([]shellUse, len(expressions))
	for i, e := range expressions {
		use, there := found[i]
		if !there {
			use.problem = "inside quotes or a pattern that the shell does not expand"
		}
		s.uses[i] = use
		if use.problem != "" {
			p.misplaced(e, use.problem).Hint = use.hint
		} else if use.warning != "" {
			d := p.misplaced(e, use.warning)
			d.Severity, d.Hint = SeverityWarning, use.hint
		}
	}
}

// misplaced reports an expression, with its marks, that stands where the shell
// would not take its value as a word.
func (p *parser) misplaced(e *expression, where string) *Diagnostic {
	length := len(openMark) + len(e.source) + len(closeMark)
	return p.errorWithin(e.node, e.offset-len(openMark), length, codeShell, "the expression stands %s", where)
}

// compileScript compiles the expressions of a script that may be nil. Where the
// shell computes, only a number is safe: its text can't be code.
func (p *parser) compileScript(s *Script, names *scope) {
	if s == nil {
		return
	}
	p.compileTemplate(s.template, names)
	for i, e := range s.template.expressions() {
		if s.use(i).number && e.program != nil && family(e.result.Kind) != reflect.Float64 {
			p.misplaced(e, asArithmetic).Hint = "here only a number is safe: a value of the type integer or number"
		}
	}
}

// maxShellNesting bounds the recursion of the shell's parser.
const maxShellNesting = 1000

// nesting gives an upper bound of how deep a script nests.
func nesting(source string) int {
	depth, deepest := 0, 0
	for _, r := range source {
		switch r {
		case '(', '{', '`':
			depth++
			deepest = max(deepest, depth)
		case ')', '}':
			depth--
		}
	}
	return deepest + strings.Count(source, "\nif ") + strings.Count(source, "\ncase ")
}

// shellSyntax reports a script that the shell's parser refuses, at the place where
// it stands in the file.
func (p *parser) shellSyntax(s *Script, err error) {
	n := s.template.node
	var detailed syntax.ParseError
	if !errors.As(err, &detailed) {
		p.errorf(n, codeShell, "the shell can't read the script: %s", err)
		return
	}
	offset := s.originalOffset(int(detailed.Pos.Offset()))
	text := strings.ReplaceAll(detailed.Text, "${"+s.prefix, "${{ … }} (${"+s.prefix)
	p.errorWithin(n, offset, 1, codeShell, "the shell can't read the script: %s", text).
		Hint = "a script with expressions must be one that the shell's parser understands"
}

// originalOffset turns an offset in the script with variables into one in the
// file's text.
func (s *Script) originalOffset(rendered int) int {
	at, i := 0, 0
	for _, part := range s.template.parts {
		length := len(part.text)
		if part.expr != nil {
			length = len("${" + s.variable(i) + "}")
			i++
		}
		if rendered < at+length {
			if part.expr != nil {
				return part.expr.offset - len(openMark)
			}
			return s.partOffset(part) + rendered - at
		}
		at += length
	}
	return len(s.template.node.text)
}

// partOffset gives where a literal part begins in the file's text.
func (s *Script) partOffset(want part) int {
	offset := 0
	for _, p := range s.template.parts {
		if p.expr == nil {
			if p.text == want.text {
				break
			}
			offset += len(p.text) + strings.Count(p.text, openMark)
			continue
		}
		offset = p.expr.offset + len(p.expr.source) + len(closeMark)
	}
	return offset
}

// A shellUse is where in a script an expression stands.
type shellUse struct {
	bare    bool // outside of double quotes: quotes are put around it
	number  bool // where the shell computes: nothing but a number may stand there
	problem string
	warning string
	hint    string
}

// shellUses finds the variables of a script's expressions in its tree.
func shellUses(file *syntax.File, s *Script) map[int]shellUse {
	found := map[int]shellUse{}
	places := map[string]int{}
	for i := range s.template.expressions() {
		places[s.variable(i)] = i
	}
	var stack []syntax.Node
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		switch n := n.(type) {
		case *syntax.ParamExp:
			if n.Param != nil {
				if i, ours := places[n.Param.Value]; ours {
					found[i] = useOf(stack)
				}
			}
		case *syntax.SglQuoted:
			s.mark(found, n.Value, shellUse{problem: "inside single quotes, where its value would be code for whoever reads the text", hint: "use double quotes: \"${{ … }}\""})
		case *syntax.Comment:
			s.mark(found, n.Text, shellUse{})
		case *syntax.Lit:
			if strings.Contains(n.Value, `\${`+s.prefix) {
				s.mark(found, n.Value, shellUse{problem: "behind a backslash, so that the shell does not expand it"})
				break
			}
			s.mark(found, n.Value, shellUse{problem: "where the shell does not expand it, such as a here-document with a quoted delimiter", hint: "use a here-document without quotes around its delimiter"})
		}
		stack = append(stack, n)
		return true
	})
	return found
}

// mark notes the use of every expression whose variable is in a text that the
// shell takes literally.
func (s *Script) mark(found map[int]shellUse, text string, use shellUse) {
	for rest := text; ; {
		_, after, has := strings.Cut(rest, "${"+s.prefix)
		if !has {
			return
		}
		digits, _, _ := strings.Cut(after, "}")
		if number, err := strconv.Atoi(digits); err == nil {
			found[number-1] = use
		}
		rest = after
	}
}

// useOf judges a place in the tree by the nodes around it, from the outermost.
func useOf(stack []syntax.Node) shellUse {
	use := shellUse{bare: true}
	if slices.ContainsFunc(stack, inBackquotes) {
		return shellUse{problem: "inside backquotes", hint: "use $( )"}
	}
	for i := len(stack) - 1; i >= 0; i-- {
		var child syntax.Node
		if i+1 < len(stack) {
			child = stack[i+1]
		}
		switch n := stack[i].(type) {
		case *syntax.DblQuoted:
			use.bare = false
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return use
		case *syntax.Redirect:
			if child != nil && n.Hdoc == child {
				use.bare = false
			} else if n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc {
				return shellUse{problem: "in the delimiter of a here-document"}
			}
		case *syntax.CallExpr:
			return judgeCall(n, child, use)
		case syntax.Command:
			if problem := commandProblem(n, child); problem != "" {
				return unsafeUse(problem)
			}
		default:
			if problem := partProblem(n, child); problem != "" {
				return unsafeUse(problem)
			}
		}
	}
	return use
}

// unsafeUse is a place in which the shell does more with a value than to take it
// as a word. What it computes with may be a number, which is known later.
func unsafeUse(problem string) shellUse {
	switch problem {
	case asArithmetic:
		return shellUse{number: true}
	case asPattern:
		return shellUse{problem: problem, hint: `set a variable first, x=${{ … }}, and write "$x"`}
	}
	return shellUse{problem: problem} // a variable's value would be code there, too
}

// inBackquotes reports whether a node is `…`, in which the shell reads quotes in
// its own way.
func inBackquotes(n syntax.Node) bool {
	substitution, ok := n.(*syntax.CmdSubst)
	return ok && substitution.Backquotes
}

const (
	asArithmetic = "where the shell evaluates it as arithmetic, which can run code"
	asName       = "where the shell takes it as the name of a variable, which can run code"
	asPattern    = "where the shell takes it as a pattern"
)

// commandProblem says what is wrong with an expression right inside a command.
func commandProblem(n syntax.Command, child syntax.Node) string {
	switch n := n.(type) {
	case *syntax.ArithmCmd, *syntax.LetClause:
		return asArithmetic
	case *syntax.DeclClause:
		assign, isAssign := child.(*syntax.Assign)
		if isAssign && assign.Naked || declaresNumber(n) {
			return asName
		}
	}
	return ""
}

// declaresNumber reports whether a declaration makes its values arithmetic, or
// names of other variables.
func declaresNumber(n *syntax.DeclClause) bool {
	return slices.ContainsFunc(n.Args, func(a *syntax.Assign) bool {
		flag := ""
		if a.Naked && a.Value != nil {
			flag = a.Value.Lit()
		}
		return strings.HasPrefix(flag, "-") && strings.ContainsAny(flag, "in")
	})
}

// partProblem says what is wrong with an expression in a part of a word or a
// test.
func partProblem(n, child syntax.Node) string {
	switch n := n.(type) {
	case *syntax.ArithmExp, *syntax.CStyleLoop, *syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.ParenArithm, *syntax.FlagsArithm:
		return asArithmetic
	case *syntax.ParamExp:
		return expansionProblem(n, child)
	case *syntax.Assign:
		if n.Index != nil && child == syntax.Node(n.Index) {
			return asArithmetic
		}
	case *syntax.ArrayElem:
		if n.Index != nil && child == syntax.Node(n.Index) {
			return asArithmetic
		}
	case *syntax.BinaryTest:
		switch n.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			return asArithmetic
		}
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
			return asName
		}
	}
	return ""
}

// expansionProblem judges an expression inside ${name…}: only the word that
// stands in for a missing value is taken as it is.
func expansionProblem(n *syntax.ParamExp, child syntax.Node) string {
	switch {
	case n.Index != nil && child == syntax.Node(n.Index), n.Slice != nil:
		return asArithmetic
	case n.Repl != nil:
		return asPattern
	case n.Exp != nil:
		switch n.Exp.Op {
		case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
			syntax.ErrorUnset, syntax.ErrorUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
			return ""
		}
		return asPattern
	}
	return ""
}

// Commands that take words of theirs as code or as names of variables.
var (
	codeCommands = regexp.MustCompile(`^(eval|let|trap|source|\.|alias|unset|read|mapfile|readarray|getopts|declare|typeset|local|readonly|export)$`)
	shells       = regexp.MustCompile(`^(.*/)?(ba|da|z|k|a|)sh$`)
	interpreters = regexp.MustCompile(`^(.*/)?(python[0-9.]*|perl|ruby|node|php|lua|osascript|ssh|su|awk|gawk|mawk|sed)$`)
)

// judgeCall judges an expression in the words of a simple command.
func judgeCall(call *syntax.CallExpr, child syntax.Node, use shellUse) shellUse {
	place := slices.IndexFunc(call.Args, func(w *syntax.Word) bool { return syntax.Node(w) == child })
	if place < 0 { // an assignment before the command
		return use
	}
	words := make([]string, len(call.Args))
	for i, w := range call.Args {
		words[i] = w.Lit()
	}
	name := words[0]
	switch {
	case place == 0:
		use.warning = "in the place of a command's name: its value decides what is run"
	case codeCommands.MatchString(name):
		use.problem = "in the words of " + name + ", which takes them as code or names"
	case shells.MatchString(name) && isScriptOperand(words, place):
		use.problem = "in a script for another shell, where its value would be code"
		use.hint = `pass it as an argument: ` + name + ` -c 'echo "$1"' ` + name + ` ${{ … }}`
	case (name == "test" || name == "[" || name == "printf") && words[place-1] == "-v":
		use.problem = asName
	case interpreters.MatchString(name) && isProgram(name, words, place):
		use.warning = "in a program for " + name + ", where its value can be code"
		use.hint = "pass it as an argument or by the environment"
	}
	return use
}

// isScriptOperand reports whether a word is what a shell's -c takes.
func isScriptOperand(words []string, place int) bool {
	for i := 1; i < place; i++ {
		if w := words[i]; strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "c") {
			return i+1 == place || !slices.ContainsFunc(words[i+1:place], func(w string) bool { return !strings.HasPrefix(w, "-") })
		}
	}
	return false
}

// isProgram reports whether a word is likely a program's text.
func isProgram(name string, words []string, place int) bool {
	before := words[place-1]
	switch {
	case strings.HasSuffix(name, "ssh"):
		return place > 1
	case strings.HasSuffix(name, "awk"), strings.HasSuffix(name, "sed"):
		return place == 1 || before == "-e"
	}
	return before == "-c" || before == "-e" || before == "-r"
}
