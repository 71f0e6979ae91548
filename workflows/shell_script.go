package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
	"github.com/a-seed-11b9befa/flow/workflows/internal/shell"
)

// A Script is a shell script with expressions. Their values are passed to the shell in
// variables: each is one word, or part of one, and never code.
type Script struct {
	template *Template
	prefix   string      // of the variables' names
	uses     []shell.Use // of each expression; nil before the script is parsed
}

// A Rendered script is ready for the shell.
type Rendered struct {
	Source string
	Values []Variable // to be set in the shell's environment
}

// A Variable is the value of one expression in a script.
type Variable struct {
	Name, Value string
}

// Source returns the script as the file has it.
func (s *Script) Source() string { return s.template.Source() }

// Position is where the script begins.
func (s *Script) Position() Position { return s.template.Position() }

// Render evaluates the expressions. A value with a NUL byte is an error, since no variable
// can have it; the length of values is not limited here.
func (s *Script) Render(env Env) (Rendered, error) {
	var r Rendered
	for _, e := range s.template.expressions() {
		value, err := e.Eval(env)
		if err != nil {
			return Rendered{}, err
		}
		if s.use(len(r.Values)).Number && !isNumber(value) {
			return Rendered{}, e.Failure(e.Position(0), fmt.Errorf("the shell takes a number here, not %s", expression.NameOf(value)))
		}
		text, err := tree.TextOf(value)
		if err != nil {
			return Rendered{}, e.Failure(e.Position(0), err)
		}
		if strings.ContainsRune(text, 0) {
			return Rendered{}, e.Failure(e.Position(0), errNUL)
		}
		r.Values = append(r.Values, Variable{Name: s.variable(len(r.Values)), Value: text})
	}
	r.Source = s.source()
	return r, nil
}

// Sees returns the values in env that the script's expressions refer to; see
// [Condition.Sees].
func (s *Script) Sees(env Env) (map[string]any, error) {
	seen := map[string]any{}
	for _, e := range s.template.expressions() {
		if err := e.Sees(env, seen); err != nil {
			return nil, err
		}
	}
	return seen, nil
}

var errNUL = errors.New("the value has a NUL byte, which no shell variable can hold")

// use returns where the i-th expression stands.
func (s *Script) use(i int) shell.Use {
	if i >= len(s.uses) {
		return shell.Use{}
	}
	return s.uses[i]
}

func isNumber(v any) bool {
	switch v.(type) {
	case int, float64, json.Number:
		return true
	}
	return false
}

// variable is the name of the variable for the i-th expression.
func (s *Script) variable(i int) string {
	return fmt.Sprintf("%s%d", s.prefix, i+1)
}

// reference replaces the i-th expression in the script.
func (s *Script) reference(i int) string {
	reference := "${" + s.variable(i) + "}"
	if s.use(i).Bare {
		return `"` + reference + `"`
	}
	return reference
}

// source returns the script with variables in place of its expressions.
func (s *Script) source() string { return s.with(s.reference) }

// with returns the script with other text in place of its expressions.
func (s *Script) with(in func(i int) string) string {
	var b strings.Builder
	i := 0
	for _, p := range s.template.parts {
		if p.expr == nil {
			b.WriteString(p.text)
			continue
		}
		b.WriteString(in(i))
		i++
	}
	return b.String()
}

// Shown returns a rendered script for people: with the values in place of its expressions,
// long ones shortened.
func (s *Script) Shown(r Rendered) string {
	const longest = 60 // characters of a value
	return s.with(func(i int) string {
		text := r.Values[i].Value
		if cut := strings.ToValidUTF8(text[:min(len(text), 4*longest)], ""); utf8.RuneCountInString(cut) > longest {
			text = string([]rune(cut)[:longest]) + "…"
		}
		text = strings.Join(strings.Fields(text), " ")
		if s.use(i).Bare {
			return shell.Quoted(text)
		}
		return text
	})
}

func shellScript() format.Shape[*Script] {
	return format.Shape[*Script]{
		Read: func(r *format.Reader, n *tree.Node) (*Script, bool) {
			p := parserOf(r)
			if _, ok := format.ScalarText(r, n); !ok {
				return nil, false
			}
			s := p.shellScript(n)
			return s, s != nil
		},
		Schema: format.TextSchema,
	}
}

// shellScript parses a script; nil for an empty one. [parser.checkShell] checks where its
// expressions stand.
func (p *parser) shellScript(n *tree.Node) *Script {
	if strings.TrimSpace(n.Text) == "" {
		p.Errorf(n, diagnostic.CodeValue, "the script is empty")
		return nil
	}
	before := p.reader.Bad
	s := &Script{template: p.template(n), prefix: "FLOW_VALUE_"}
	for strings.Contains(n.Text, s.prefix) {
		s.prefix += "_"
	}
	if p.reader.Bad == before {
		p.checkShell(s)
	}
	return s
}
