package workflows

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// A variablesDraft is the value of "env" while its file is read.
type variablesDraft struct {
	names []word
	given []format.Named[*Template]
}

// variables is a list of names and of maps from names to values, or one such map.
func variables() format.Shape[variablesDraft] {
	values := format.EntriesOf("env", variableValue())
	return format.Shape[variablesDraft]{
		Read: func(r *format.Reader, n *tree.Node) (d variablesDraft, ok bool) {
			items := []*tree.Node{n}
			switch n.Kind {
			case tree.KindList:
				items = n.Items
			case tree.KindMap:
			default:
				r.Errorf(n, diagnostic.CodeValue, "env must be a list or a map, not %s", n.Kind).Hint = format.ListHint(n)
				return d, false
			}
			for _, item := range items {
				if item.Kind == tree.KindMap {
					given, _ := values.Read(r, item)
					d.given = append(d.given, given...)
				} else if name, ok := format.Words().Read(r, item); ok {
					d.names = append(d.names, name)
				}
			}
			return d, true
		},
		Schema: func(w *format.Schema) any {
			name := map[string]any{"type": "string", "pattern": `^[A-Za-z_][A-Za-z0-9_]*\*?$`}
			given := values.Schema(w).(map[string]any)
			given["propertyNames"] = map[string]any{"pattern": `^[A-Za-z_][A-Za-z0-9_]*$`}
			return map[string]any{"anyOf": []any{given, map[string]any{"type": "array", "items": map[string]any{"anyOf": []any{name, given}}}}}
		},
	}
}

// variableValue is the value of a variable, which may contain expressions.
func variableValue() format.Shape[*Template] {
	return format.Shape[*Template]{
		Read: func(r *format.Reader, n *tree.Node) (*Template, bool) {
			if n.Kind == tree.KindNull {
				r.Errorf(n, diagnostic.CodeValue, "the variable has no value").Hint = `"" is an empty one; what flow is started with is named in a list: env: [NAME, {OTHER: value}]`
				return nil, false
			}
			return pathText().Read(r, n)
		},
		Schema: format.TextSchema,
	}
}

// fillVariables makes the workflow's variables of a draft, and reports invalid names.
func (p *parser) fillVariables(d variablesDraft) Variables {
	var v Variables
	for i, name := range d.names {
		p.checkVariableName(name, d.names[:i])
		v.Names = append(v.Names, name.Text)
	}
	for i, g := range d.given {
		switch {
		case !isVariableName(g.Name.Text):
			p.Errorf(g.Name, diagnostic.CodeValue, "%q is no name of an environment variable", g.Name.Text).Hint = variableSyntax
		case slices.ContainsFunc(d.given[:i], func(other format.Named[*Template]) bool { return other.Name.Text == g.Name.Text }):
			p.Errorf(g.Name, diagnostic.CodeValue, "%q is given twice", g.Name.Text)
		}
		v.Given = append(v.Given, GivenVariable{Name: g.Name.Text, Value: g.Value, Pos: g.Name.Position()})
	}
	return v
}

const variableSyntax = "a letter or _, then letters, digits and _"

// checkVariableName reports a name, or a pattern of names, that is invalid or is among
// those before it.
func (p *parser) checkVariableName(name word, before []word) {
	switch beginning := strings.TrimSuffix(name.Text, "*"); {
	case name.Text == "*":
		p.Errorf(name.Node, diagnostic.CodeValue, "\"*\" would name all variables, secrets too").Hint = "begin it: GITHUB_*"
	case !isVariableName(beginning):
		d := p.Errorf(name.Node, diagnostic.CodeValue, "%q is no name of an environment variable", name.Text)
		before, value, isAssignment := strings.Cut(name.Text, "=")
		switch {
		case isAssignment && isVariableName(before):
			d.Hint = "write {" + before + ": " + tree.InBrackets(tree.Clip(value, 80)) + "}; a value stands in a map"
		default:
			d.Hint = variableSyntax
		}
	case slices.ContainsFunc(before, func(w word) bool { return w.Text == name.Text }):
		p.Errorf(name.Node, diagnostic.CodeValue, "%q is named twice", name.Text)
	}
}
