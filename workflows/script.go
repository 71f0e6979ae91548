package workflows

import (
	"fmt"
	"strings"
)

// A Script is a string for the shell with expressions in it. Their values reach
// the shell as variables: each is one word, or part of one, and never code.
type Script struct {
	template *Template
	prefix   string // of the variables' names
	quote    []bool // of each expression: it stands bare, so it needs quotes
}

// A Rendered script is what the shell is given.
type Rendered struct {
	Source string
	Values []Variable // to be set in the shell's environment
}

// A Variable is the value of one expression in a script.
type Variable struct {
	Name, Value string
}

// Source gives the script as the file has it.
func (s *Script) Source() string { return s.template.Source() }

// Position is where the script begins.
func (s *Script) Position() Position { return s.template.Position() }

// Render computes the values. A value with a NUL byte is an error, since no
// variable can hold it; the length of values is not limited here.
func (s *Script) Render(env Env) (Rendered, error) {
	var r Rendered
	for _, e := range s.template.expressions() {
		value, err := e.eval(env)
		if err != nil {
			return Rendered{}, err
		}
		text, err := textOf(value)
		if err != nil {
			return Rendered{}, fmt.Errorf("%s: expression %q: %w", e.place(0), e.source, err)
		}
		if strings.ContainsRune(text, 0) {
			return Rendered{}, fmt.Errorf("%s: expression %q: the value has a NUL byte, which no shell variable can hold", e.place(0), e.source)
		}
		r.Values = append(r.Values, Variable{Name: s.variable(len(r.Values)), Value: text})
	}
	r.Source = s.source()
	return r, nil
}

// variable names the variable of an expression, by its place among them.
func (s *Script) variable(i int) string {
	return fmt.Sprintf("%s%d", s.prefix, i+1)
}

// source gives the script with a variable in the place of each expression.
func (s *Script) source() string {
	var b strings.Builder
	i := 0
	for _, p := range s.template.parts {
		if p.expr == nil {
			b.WriteString(p.text)
			continue
		}
		reference := "${" + s.variable(i) + "}"
		if s.quote != nil && s.quote[i] {
			reference = `"` + reference + `"`
		}
		b.WriteString(reference)
		i++
	}
	return b.String()
}

// shellScript is a string for the shell.
func shellScript() shape[*Script] {
	return shape[*Script]{
		read: func(p *parser, n *node) (*Script, bool) {
			if n.kind == kindList {
				p.errorf(n, codeValue, "a script for the shell was expected, not a list").Hint = "write it as one string"
				return nil, false
			}
			if _, ok := scalarText(p, n); !ok {
				return nil, false
			}
			s := p.shellScript(n)
			return s, s != nil
		},
		schema: text().schema,
	}
}

// shellScript reads a script and reports expressions that stand where the shell
// would not take their values as words.
func (p *parser) shellScript(n *node) *Script {
	if strings.TrimSpace(n.text) == "" {
		p.errorf(n, codeValue, "the script is empty")
		return nil
	}
	before := p.badExpressions
	s := &Script{template: p.template(n), prefix: "FLOW_VALUE_"}
	for strings.Contains(n.text, s.prefix) {
		s.prefix += "_"
	}
	if p.badExpressions == before {
		p.checkShell(s)
	}
	return s
}
