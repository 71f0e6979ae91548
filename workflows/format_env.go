package workflows

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// A variablesDraft is the value of "env" while its file is read.
type variablesDraft struct {
	names []word
	given []named[*Template]
}

// variables is a list of names and of maps from names to values, or one such map.
func variables() shape[variablesDraft] {
	values := entriesOf("env", variableValue())
	return shape[variablesDraft]{
		read: func(p *parser, n *tree.Node) (d variablesDraft, ok bool) {
			items := []*tree.Node{n}
			switch n.Kind {
			case tree.KindList:
				items = n.Items
			case tree.KindMap:
			default:
				p.Errorf(n, diagnostic.CodeValue, "env must be a list or a map, not %s", n.Kind).Hint = listHint(n)
				return d, false
			}
			for _, item := range items {
				if item.Kind == tree.KindMap {
					given, _ := values.read(p, item)
					d.given = append(d.given, given...)
				} else if name, ok := wordShape().read(p, item); ok {
					d.names = append(d.names, name)
				}
			}
			return d, true
		},
		schema: func(w *schemaWriter) any {
			name := map[string]any{"type": "string", "pattern": `^[A-Za-z_][A-Za-z0-9_]*\*?$`}
			given := values.schema(w).(map[string]any)
			given["propertyNames"] = map[string]any{"pattern": `^[A-Za-z_][A-Za-z0-9_]*$`}
			return map[string]any{"anyOf": []any{given, map[string]any{"type": "array", "items": map[string]any{"anyOf": []any{name, given}}}}}
		},
	}
}

// variableValue is the value of a variable, which may contain expressions.
func variableValue() shape[*Template] {
	return shape[*Template]{
		read: func(p *parser, n *tree.Node) (*Template, bool) {
			if n.Kind == tree.KindNull {
				p.Errorf(n, diagnostic.CodeValue, "the variable has no value").Hint = `"" is an empty one; what flow is started with is named in a list: env: [NAME, {OTHER: value}]`
				return nil, false
			}
			return pathText().read(p, n)
		},
		schema: textSchema,
	}
}

// fillVariables makes the workflow's variables of a draft, and reports invalid names.
func (p *parser) fillVariables(d variablesDraft) Variables {
	var v Variables
	for i, name := range d.names {
		p.checkVariableName(name, d.names[:i])
		v.Names = append(v.Names, name.text)
	}
	for i, g := range d.given {
		switch {
		case !isVariableName(g.name.Text):
			p.Errorf(g.name, diagnostic.CodeValue, "%q is no name of an environment variable", g.name.Text).Hint = variableSyntax
		case slices.ContainsFunc(d.given[:i], func(other named[*Template]) bool { return other.name.Text == g.name.Text }):
			p.Errorf(g.name, diagnostic.CodeValue, "%q is given twice", g.name.Text)
		}
		v.Given = append(v.Given, GivenVariable{Name: g.name.Text, Value: g.value, Pos: g.name.Position()})
	}
	return v
}

const variableSyntax = "a letter or _, then letters, digits and _"

// checkVariableName reports a name, or a pattern of names, that is invalid or is among
// those before it.
func (p *parser) checkVariableName(name word, before []word) {
	switch beginning := strings.TrimSuffix(name.text, "*"); {
	case name.text == "*":
		p.Errorf(name.node, diagnostic.CodeValue, "\"*\" would name all variables, secrets too").Hint = "begin it: GITHUB_*"
	case !isVariableName(beginning):
		d := p.Errorf(name.node, diagnostic.CodeValue, "%q is no name of an environment variable", name.text)
		before, value, isAssignment := strings.Cut(name.text, "=")
		switch {
		case isAssignment && isVariableName(before):
			d.Hint = "write {" + before + ": " + tree.InBrackets(tree.Clip(value, 80)) + "}; a value stands in a map"
		default:
			d.Hint = variableSyntax
		}
	case slices.ContainsFunc(before, func(w word) bool { return w.text == name.text }):
		p.Errorf(name.node, diagnostic.CodeValue, "%q is named twice", name.text)
	}
}
