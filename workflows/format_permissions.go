package workflows

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// A permissionSet is the value of "permissions".
type permissionSet struct {
	rules    Permissions
	examples []Example
}

// permissionsField is the key "permissions" of a file, a step and an agent.
func permissionsField[T any](rules func(*T) *Permissions, examples func(*T) *[]Example, doc string) format.Field[T] {
	s := permissions()
	return format.Field[T]{
		Key: "permissions", Doc: doc, Schema: s.Schema,
		Read: func(r *format.Reader, n *tree.Node, into *T) {
			if set, ok := s.Read(r, n); ok {
				*rules(into), *examples(into) = set.rules, set.examples
			}
		},
	}
}

// permissions are rules by tool, each tool's in the short form or the long one.
func permissions() format.Shape[permissionSet] {
	tools := format.EntriesOf("permissions", rulesOfTool())
	return format.Shape[permissionSet]{
		Read: func(r *format.Reader, n *tree.Node) (permissionSet, bool) {
			p := parserOf(r)
			before := len(p.Found)
			if p.reversed(n) {
				p.badRules = true
				return permissionSet{}, false
			}
			list, ok := tools.Read(p.Reader, n)
			if n.Kind == tree.KindList {
				r.Found[len(r.Found)-1].Hint = `each tool has its rules, as in permissions: {bash: {"git log *": allow}}`
			}
			p.badRules = p.badRules || len(p.Found) > before
			set := permissionSet{rules: make(Permissions, len(list))}
			for _, e := range list {
				name := offeredName(e.Name.Text)
				e.Value.rules = slices.DeleteFunc(e.Value.rules, func(r Rule) bool { return !p.mayHaveValues(name, r) })
				for i := range e.Value.rules {
					e.Value.rules[i].tool = e.Name
					p.readValues(&e.Value.rules[i])
				}
				set.rules[name] = slices.Concat(set.rules[name], e.Value.rules) // the name may have two spellings
				examples := slices.Concat(e.Value.match, e.Value.noMatch)
				if len(examples) > 0 && strings.Contains(name, "*") {
					p.Errorf(e.Name, diagnostic.CodePermission, "examples are calls of one tool, and %q is a pattern of names", name).Hint = "name a tool of its own"
				}
				for _, example := range examples {
					example.Tool = name
					set.examples = append(set.examples, example)
				}
			}
			return set, ok
		},
		Schema: tools.Schema,
	}
}

// mayHaveValues reports a pattern with expressions whose values would be no paths.
func (p *parser) mayHaveValues(tool string, r Rule) bool {
	at := strings.Index(r.Pattern, expression.OpenMark)
	if at < 0 || tool == "read" || tool == "write" {
		return true
	}
	d := p.ErrorWithin(r.node, at, len(r.Pattern)-at, diagnostic.CodePermission, "expressions stand only in the patterns of read and write, whose values are paths")
	if d.Hint = "a * stands for what differs between runs"; known.RuledBy(tool) == "write" {
		d.Hint = `whatever writes files is judged by the rules of "write"`
	}
	return false
}

// readValues reads the expressions in the pattern of a rule.
func (p *parser) readValues(r *Rule) {
	if strings.Contains(r.Pattern, expression.OpenMark) {
		r.Values = p.template(r.node)
		p.patterns = append(p.patterns, r.Values)
	}
}

// reversed reports rules that map decisions to tools instead of tools to decisions.
func (p *parser) reversed(n *tree.Node) bool {
	before := len(p.Found)
	for _, e := range n.Entries {
		if slices.Contains(decisions, e.Key.Text) && e.Value.Kind != tree.KindMap && !slices.Contains(decisions, e.Value.Text) {
			p.Errorf(e.Key, diagnostic.CodePermission, "a tool has a decision, and %q is one", e.Key.Text).Hint = "turn it round, as in read: " + e.Key.Text
		}
	}
	return len(p.Found) > before
}

// decisions are what a rule can say.
var decisions = []string{"allow", "ask", "deny"}

// toolRules are the rules of one tool, with example calls.
type toolRules struct {
	rules          []Rule
	match, noMatch []Example
}

// rulesOfTool is one decision, or decisions by pattern, or either of them with examples.
func rulesOfTool() format.Shape[toolRules] {
	long := longRules()
	short := format.Mapped(shortRules(), func(rules []Rule) toolRules { return toolRules{rules: rules} })
	return format.Either(isLongForm, long.Shape(nil), short)
}

// isLongForm distinguishes the keys of the long form from patterns of the same name,
// whose value is a decision.
func isLongForm(n *tree.Node) bool {
	return slices.ContainsFunc(n.Entries, func(e tree.Entry) bool {
		named := e.Key.Text == "rules" || e.Key.Text == "match" || e.Key.Text == "no_match"
		return named && (e.Value.Kind == tree.KindMap || e.Value.Kind == tree.KindList)
	})
}

// shortRules are one decision for everything, or decisions by pattern.
func shortRules() format.Shape[[]Rule] {
	decision := format.OneOf(decisions...)
	rules := format.PatternsOf("the rules of a tool", decision)
	return format.Shape[[]Rule]{
		Read: func(r *format.Reader, n *tree.Node) ([]Rule, bool) {
			if n.Kind == tree.KindList || n.Kind == tree.KindBool {
				r.Errorf(n, diagnostic.CodeValue, "the rules of a tool are one of %s, or a map from patterns to these", tree.Quoted(decisions)).Hint = `such as allow, or {PATTERN: allow}`
				return nil, false
			}
			if n.Kind != tree.KindMap {
				d, ok := decision.Read(r, n)
				if last := len(r.Found) - 1; !ok && n.Kind == tree.KindString && strings.ContainsAny(n.Text, "*/.") {
					pattern := n.Text
					if _, inner, isRule := otherRule(pattern); isRule {
						pattern = inner
					}
					r.Found[last].Hint = "write {" + strconv.Quote(tree.Clip(pattern, 40)) + ": allow}"
				}
				return []Rule{{Pattern: "*", Decision: d, Pos: n.Position(), node: n}}, ok
			}
			list, ok := rules.Read(r, n)
			all := make([]Rule, len(list))
			for i, r := range list {
				all[i] = Rule{Pattern: r.Name.Text, Decision: r.Value, Pos: r.Name.Position(), node: r.Name}
			}
			return all, ok
		},
		Schema: func(w *format.Schema) any {
			return map[string]any{"anyOf": []any{decision.Schema(w), rules.Schema(w)}}
		},
	}
}

// longRules are rules with examples.
func longRules() *format.Object[toolRules] {
	return &format.Object[toolRules]{
		Name: "tool_rules", What: "a rule set", Doc: "The rules of a tool, and calls that show what they do.",
		Fields: []format.Field[toolRules]{
			format.Key("rules", shortRules(), func(t *toolRules) *[]Rule { return &t.rules }, "A decision, or decisions by pattern.").Must(),
			format.Key("match", matchShape(), func(t *toolRules) *[]Example { return &t.match }, "Calls that the rules must allow; or lists of calls by decision."),
			format.Key("no_match", examplesOf(""), func(t *toolRules) *[]Example { return &t.noMatch }, "Calls that the rules must not allow."),
		},
	}
}

// examplesOf is a list of calls for which the rules must give one decision.
func examplesOf(want string) format.Shape[[]Example] {
	list := format.ListOf("examples", format.Words())
	return format.Mapped(list, func(words []word) []Example {
		examples := make([]Example, len(words))
		for i, w := range words {
			examples[i] = Example{Call: w.Text, Want: want, Pos: w.Node.Position()}
		}
		return examples
	})
}

type matchedCalls struct{ allow, ask, deny []Example }

// matchShape is a list of calls to be allowed, or lists of calls by decision.
func matchShape() format.Shape[[]Example] {
	table := format.Object[matchedCalls]{
		Name: "match", What: "match", Doc: "Calls by decision.",
		Fields: []format.Field[matchedCalls]{
			format.Key("allow", examplesOf("allow"), func(m *matchedCalls) *[]Example { return &m.allow }, "Calls that must be allowed."),
			format.Key("ask", examplesOf("ask"), func(m *matchedCalls) *[]Example { return &m.ask }, "Calls that must be asked for."),
			format.Key("deny", examplesOf("deny"), func(m *matchedCalls) *[]Example { return &m.deny }, "Calls that must be denied."),
		},
	}
	byDecision := format.Mapped(table.Shape(nil), func(m matchedCalls) []Example { return slices.Concat(m.allow, m.ask, m.deny) })
	return format.Either(format.IsMap, byDecision, examplesOf("allow"))
}
