package workflows

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
	"github.com/a-seed-11b9befa/flow/workflows/internal/shell"
)

const maxScriptBytes = 64 << 10 // of a script with expressions

// checkShell determines how the shell reads each expression of a script, and reports those
// whose values would be more to it than words.
func (p *parser) checkShell(s *Script) {
	expressions := s.template.expressions()
	source := s.source()
	if len(expressions) == 0 {
		if len(source) <= maxScriptBytes {
			p.shellSyntax(s, shell.CheckEnd(source))
		}
		return
	}
	if len(source) > maxScriptBytes {
		p.Errorf(s.template.node, diagnostic.CodeShell, "a script with expressions may have %s bytes at most", quantity.Thousands(maxScriptBytes))
		return
	}
	uses, err := shell.Uses(source, s.prefix, len(expressions))
	if d := p.shellSyntax(s, err); d != nil {
		d.Hint = "a script with expressions must be one that the shell's parser understands"
	}
	s.uses = uses
	for i, use := range uses {
		if use.Problem != "" {
			p.misplaced(expressions[i], use.Problem).Hint = use.Hint
		} else if use.Warning != "" {
			d := p.misplaced(expressions[i], use.Warning)
			d.Severity, d.Hint = SeverityWarning, use.Hint
		}
	}
}

// shellSyntax reports an error of the shell's parser at its position in the file. It returns
// nil where there is none.
func (p *parser) shellSyntax(s *Script, err error) *Diagnostic {
	var detailed *shell.Error
	if !errors.As(err, &detailed) {
		return nil
	}
	const message = "the shell can't read the script: %s"
	if detailed.Offset < 0 {
		return p.Errorf(s.template.node, diagnostic.CodeShell, message, detailed.Message)
	}
	text := strings.ReplaceAll(detailed.Message, "${"+s.prefix, "${{ … }} (${"+s.prefix)
	return p.ErrorWithin(s.template.node, s.originalOffset(detailed.Offset), 1, diagnostic.CodeShell, message, text)
}

// misplaced reports an expression, with its marks, whose value would be more to the shell
// than a word.
func (p *parser) misplaced(e *expression.Expression, where string) *Diagnostic {
	length := len(expression.OpenMark) + len(e.Source) + len(expression.CloseMark)
	return p.ErrorWithin(e.Node, e.Offset-len(expression.OpenMark), length, diagnostic.CodeShell, "the expression stands %s", where)
}

// compileScript compiles the expressions of a script, which may be nil. In arithmetic only
// a number is safe, since its text can't be code.
func (p *parser) compileScript(s *Script, names *expression.Scope) {
	if s == nil {
		return
	}
	p.compileAll(s.template.expressions(), names)
	p.warnOtherMarks(s.template, names, true)
	for i, e := range s.template.expressions() {
		if use := s.use(i); !e.Compiled() || family(e.Result.Kind) == reflect.Float64 {
			continue
		} else if use.Number {
			p.misplaced(e, shell.AsArithmetic).Hint = onlyNumber
		} else if use.Ruling != "" && use.Warning == "" && e.Words == Foreign {
			d := p.misplaced(e, use.Ruling)
			d.Severity, d.Hint = SeverityWarning, "a model may have written the value, and can run anything by it"
		}
	}
}

const onlyNumber = "here only a number is safe: a value of the type integer or number"

// warnVariables warns of variables that a command reads and does not get: environment
// variables that the file does not name, and names that only expressions have.
func (p *parser) warnVariables(s *Script, names *expression.Scope) {
	if s == nil || len(s.template.node.Text) > maxScriptBytes {
		return
	}
	for _, v := range shell.Variables(s.source(), names.Data()...) {
		if p.variables.Has(v.Name) {
			continue
		}
		if names.Has(v.Name) {
			d := p.ErrorWithin(s.template.node, s.originalOffset(v.Offset), len(v.Name)+1, diagnostic.CodeShell, "the shell has no variable %q", v.Name)
			d.Severity, d.Hint = SeverityWarning, "it is a name of expressions, which are written ${{ … }}"
			continue
		}
		d := p.ErrorWithin(s.template.node, s.originalOffset(v.Offset), len(v.Name)+1, diagnostic.CodeShell, "the command does not get the variable %s, which the file does not name", v.Name)
		d.Severity, d.Hint = SeverityWarning, fmt.Sprintf("name it at the top of the file: env: [%s]", v.Name)
		if IsSecretName(v.Name) {
			d.Hint = fmt.Sprintf("name it at the top of the file, so that its value is masked, too: secrets: [%s]", v.Name)
		}
	}
}

// warnCommand warns of a call of bash whose command contains what a model may have
// written: it would run as code.
func (p *parser) warnCommand(s *Step) {
	command := s.With["command"]
	if s.Call.Tool != "bash" || command == nil {
		return
	}
	for _, e := range command.expressions() {
		if e.Compiled() && e.Words == Foreign {
			d := p.misplaced(e, "in a command for bash, where a model's text is code")
			d.Severity, d.Hint = SeverityWarning, "in run: an expression is one word, whatever its value"
		}
	}
}

// IsSecretName reports whether a variable most likely holds a secret.
func IsSecretName(name string) bool {
	return slices.ContainsFunc([]string{"TOKEN", "SECRET", "PASSWORD", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY"}, func(word string) bool { return strings.Contains(name, word) })
}

// originalOffset converts an offset in the rendered script to one in the file's text.
func (s *Script) originalOffset(rendered int) int {
	at, i, original := 0, 0, 0
	for _, part := range s.template.parts {
		if part.expr == nil {
			if rendered < at+len(part.text) {
				return original + rendered - at
			}
			at += len(part.text)
			original += len(part.text) + strings.Count(part.text, expression.OpenMark) // each is written with one more $
			continue
		}
		if at += len(s.reference(i)); rendered < at {
			return part.expr.Offset - len(expression.OpenMark)
		}
		i++
		original = part.expr.Offset + len(part.expr.Source) + len(expression.CloseMark)
	}
	return len(s.template.node.Text)
}
