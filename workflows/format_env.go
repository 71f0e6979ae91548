package workflows

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// variables is a list of names and of maps from names to values, or one such map.
func variables() format.Shape[Variables] {
	values := format.EntriesOf("env", variableValue())
	return format.Shape[Variables]{
		Read: func(r *format.Reader, n *tree.Node) (v Variables, ok bool) {
			p := parserOf(r)
			items := []*tree.Node{n}
			switch n.Kind {
			case tree.KindList:
				items = n.Items
			case tree.KindMap:
			default:
				r.Errorf(n, diagnostic.CodeValue, "env must be a list or a map, not %s", n.Kind).Hint = format.ListHint("env", n)
				return v, false
			}
			for _, item := range items {
				if item.Kind == tree.KindMap {
					given, _ := values.Read(r, item)
					v.Given = p.addGiven(v.Given, given)
				} else if name, ok := format.Words().Read(r, item); ok {
					v.Names = p.addVariable(v.Names, name)
				}
			}
			return v, true
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

// addGiven adds variables with values, and reports those whose names are invalid or there already.
func (p *parser) addGiven(all []GivenVariable, given []format.Named[*Template]) []GivenVariable {
	for _, g := range given {
		name := g.Name.Text
		switch {
		case !isVariableName(name):
			p.Errorf(g.Name, diagnostic.CodeValue, "%q is no name of an environment variable", name).Hint = variableSyntax
		case slices.ContainsFunc(all, func(other GivenVariable) bool { return other.Name == name }):
			p.Errorf(g.Name, diagnostic.CodeValue, "%q is given twice", name)
		}
		all = append(all, GivenVariable{Name: name, Value: g.Value, Pos: g.Name.Position()})
	}
	return all
}

const variableSyntax = "a letter or _, then letters, digits and _"

// addVariable adds a name, or a pattern of names, and reports one that is invalid or there already.
func (p *parser) addVariable(names []string, name word) []string {
	switch beginning := strings.TrimSuffix(name.Text, "*"); {
	case name.Text == "*":
		p.Errorf(name.Node, diagnostic.CodeValue, "\"*\" would name all variables, secrets too").Hint = "begin it: GITHUB_*"
	case !isVariableName(beginning):
		d := p.Errorf(name.Node, diagnostic.CodeValue, "%q is no name of an environment variable", name.Text)
		d.Hint = variableSyntax
		if before, value, isAssignment := strings.Cut(name.Text, "="); isAssignment && isVariableName(before) {
			d.Hint = "write {" + before + ": " + tree.InBrackets(tree.Clip(value, 80)) + "}; a value stands in a map"
		}
	case slices.Contains(names, name.Text):
		p.Errorf(name.Node, diagnostic.CodeValue, "%q is named twice", name.Text)
	}
	return append(names, name.Text)
}

// secrets are names of variables, which the workflow names thereby, too.
func secrets() format.Shape[[]string] {
	list := format.ListOf("secrets", format.Words())
	return format.Shape[[]string]{
		Read: func(r *format.Reader, n *tree.Node) (names []string, ok bool) {
			words, ok := list.Read(r, n)
			for _, name := range words {
				names = parserOf(r).addVariable(names, name)
			}
			return names, ok
		},
		Schema: list.Schema,
	}
}
