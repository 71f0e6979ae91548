package workflows

import (
	"errors"
	"reflect"
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
	source := s.source()
	if len(expressions) == 0 {
		p.checkShellEnd(s, source)
		return
	}
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

// checkShellEnd reports a script without expressions whose end is missing: no
// shell can read it, whatever else of it our parser might not know. A shell
// that is told to leave before does not come to its end, and takes that of the
// script for that of a here-document.
func (p *parser) checkShellEnd(s *Script, source string) {
	if len(source) > maxScriptBytes || nesting(source) > maxShellNesting {
		return
	}
	for _, word := range []string{"<<", "exit", "exec", "return"} {
		if strings.Contains(source, word) {
			return
		}
	}
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(source), "")
	var detailed syntax.ParseError
	if !syntax.IsIncomplete(err) || !errors.As(err, &detailed) {
		return
	}
	p.errorWithin(s.template.node, s.originalOffset(int(detailed.Pos.Offset())), 1, codeShell, "the shell can't read the script: %s", detailed.Text)
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
