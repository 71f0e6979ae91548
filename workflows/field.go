package workflows

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// A shape is a form that a value of a file can have: how it is read, and how the JSON
// Schema of the format describes it. read reports what is wrong, and then returns false.
type shape[V any] struct {
	read   func(*parser, *tree.Node) (V, bool)
	schema func(*schemaWriter) any
}

// A field is one key of an object of the format.
type field[T any] struct {
	key      string
	doc      string
	required bool
	kinds    []Kind // of steps that may have it; nil: any
	read     func(p *parser, n *tree.Node, into *T)
	schema   func(*schemaWriter) any
}

// key makes a field from the shape of its value and the place where it is stored.
func key[T, V any](name string, s shape[V], at func(*T) *V, doc string) field[T] {
	return field[T]{
		key: name, doc: doc, schema: s.schema,
		read: func(p *parser, n *tree.Node, into *T) {
			if v, ok := s.read(p, n); ok {
				*at(into) = v
			}
		},
	}
}

// must makes a field required.
func (f field[T]) must() field[T] {
	f.required = true
	return f
}

// on restricts a field of steps to some kinds.
func (f field[T]) on(kinds ...Kind) field[T] {
	f.kinds = kinds
	return f
}

// openPrefix begins keys that may hold anything, such as what YAML anchors name.
const openPrefix = "x-"

// An object is a map of the format whose keys are known.
type object[T any] struct {
	name      string // of its definition in the JSON Schema
	what      string // for messages: "a step"
	doc       string
	fields    []field[T]
	elsewhere string // the hint for an unknown key that is near none; "": a list of the keys
	list      string // the key whose elements people write by name instead; "": none
	open      bool   // keys that begin with openPrefix are for anchors, and mean nothing
	short     bool   // a value that is no map is meant for the first key that accepts it
}

// read reads the fields in the order of the table, and returns the keys of the map; nil
// where it is no map.
func (o *object[T]) read(p *parser, n *tree.Node, into *T) map[string]tree.Entry {
	if n.Kind != tree.KindMap {
		p.Errorf(n, diagnostic.CodeValue, "%s must be a map, not %s", o.what, n.Kind).Hint = o.asMapHint(p, n)
		return nil
	}
	strays := o.strays(n)
	for i := range o.fields {
		f := &o.fields[i]
		value := n.Get(f.key)
		if value == nil {
			if f.required && !(f.key == o.list && slices.ContainsFunc(strays, func(s *stray) bool { return s.lost(o.list) })) {
				p.Errorf(n, diagnostic.CodeKey, "%s has no %q", o.what, f.key)
			}
			continue
		}
		told := len(p.Found)
		f.read(p, value, into)
		for _, s := range strays {
			if s.meant == f.key {
				s.judge(p, n, told)
			}
		}
	}
	for _, s := range strays {
		p.Errorf(s.key, diagnostic.CodeKey, "%s has no key %q", o.what, s.key.Text).Hint = o.strayHint(n, s)
	}
	present := make(map[string]tree.Entry, len(n.Entries))
	for _, e := range n.Entries {
		present[e.Key.Text] = e
	}
	return present
}

// asMapHint shows how a value that is no map would be written as one.
func (o *object[T]) asMapHint(p *parser, n *tree.Node) string {
	switch n.Kind {
	case tree.KindNull:
		return ""
	case tree.KindList:
		return o.listAsMapHint(p, n.Items)
	case tree.KindString:
		if hint := o.textAsMapHint(n); hint != "" {
			return hint
		}
	}
	if !o.short {
		return ""
	}
	return o.shortHint(p, n)
}

func (o *object[T]) listAsMapHint(p *parser, items []*tree.Node) string {
	switch {
	case len(items) > 0 && items[0].Kind == tree.KindString:
		return o.namedHint(p, items[0])
	case len(items) > 0 && len(items[0].Entries) > 0:
		return "its keys stand without dashes: {" + items[0].Entries[0].Key.Text + ": …}"
	}
	return ""
}

func (o *object[T]) textAsMapHint(n *tree.Node) string {
	key, rest, _ := strings.Cut(strings.Replace(n.Text, " ", ":", 1), ":")
	switch {
	case rest != "" && slices.Contains(o.keys(), key):
		return "a colon and a space stand behind the key: write " + key + ": " + tree.Clip(strings.TrimLeft(rest, ": "), 40)
	case o.name == "step":
		return "a command is written run: " + tree.Clip(n.Text, 40)
	case o.name == "case":
		return "write {name: " + inBraces(n) + ", expect: {status: succeeded}}"
	}
	return ""
}

// shortHint shows the value as that of the first key that takes it.
func (o *object[T]) shortHint(p *parser, n *tree.Node) string {
	words := tree.Node{Src: n.Src, Line: n.Line, Column: n.Column, Kind: tree.KindList}
	for _, word := range strings.Fields(n.Text) {
		words.Items = append(words.Items, &tree.Node{Src: n.Src, Line: n.Line, Column: n.Column, Kind: tree.KindString, Text: word, Value: word})
	}
	plain := *n
	plain.Text = strings.TrimPrefix(n.Text, "$") // of an amount
	for _, f := range o.fields {
		trial := p.apart()
		if f.read(trial, &plain, new(T)); len(trial.Found) == 0 {
			return "write {" + f.key + ": " + inBraces(&plain) + "}"
		}
		trial = p.apart()
		if f.read(trial, &words, new(T)); f.key == "command" && len(trial.Found) == 0 {
			return "write {command: [" + wordsIn(strings.Fields(n.Text)) + "]}"
		}
	}
	return ""
}

// namedHint shows the value of a key that stands in a list, as if its name were enough.
func (o *object[T]) namedHint(p *parser, name *tree.Node) string {
	key := name.Text
	if own, err := strconv.Unquote(o.foreign()[o.foreignKey(key)]); err == nil {
		key = own
	}
	at := slices.Index(o.keys(), key)
	if at < 0 {
		return o.nearHint(key)
	}
	trial, yes := p.apart(), &tree.Node{Src: name.Src, Kind: tree.KindBool, Text: "true", Value: true}
	if o.fields[at].read(trial, yes, new(T)); len(trial.Found) == 0 {
		return "write {" + key + ": true}"
	}
	return "each key has a value: {" + key + ": …}"
}

func (o *object[T]) keys() []string {
	keys := make([]string, len(o.fields))
	for i, f := range o.fields {
		keys[i] = f.key
	}
	return keys
}

// shape makes a shape of the object. start returns the value before its keys are read.
func (o *object[T]) shape(start func(*parser, *tree.Node) T) shape[T] {
	return shape[T]{
		read: func(p *parser, n *tree.Node) (T, bool) {
			v := start(p, n)
			return v, o.read(p, n, &v) != nil
		},
		schema: func(w *schemaWriter) any { return define(w, o) },
	}
}

// zero is the start of an object without defaults.
func zero[T any](*parser, *tree.Node) T {
	var v T
	return v
}

// either is a value of one of two shapes, chosen by its node.
func either[V any](isFirst func(*tree.Node) bool, first, second shape[V]) shape[V] {
	return shape[V]{
		read: func(p *parser, n *tree.Node) (V, bool) {
			if isFirst(n) {
				return first.read(p, n)
			}
			return second.read(p, n)
		},
		schema: func(w *schemaWriter) any { return map[string]any{"anyOf": []any{second.schema(w), first.schema(w)}} },
	}
}

func isMap(n *tree.Node) bool { return n.Kind == tree.KindMap }

// mapNode is a map that is read later.
func mapNode(must, hint string) shape[*tree.Node] {
	return shape[*tree.Node]{
		read: func(p *parser, n *tree.Node) (*tree.Node, bool) {
			if n.Kind != tree.KindMap {
				p.Errorf(n, diagnostic.CodeValue, "%s, not %s", must, n.Describe()).Hint = hint
			}
			return n, n.Kind == tree.KindMap
		},
		schema: fixed(map[string]any{"type": "object"}),
	}
}

// listOf is a list of values of one shape.
func listOf[V any](what string, s shape[V]) shape[[]V] {
	return shape[[]V]{
		read: func(p *parser, n *tree.Node) ([]V, bool) {
			if n.Kind != tree.KindList {
				p.Errorf(n, diagnostic.CodeValue, "%s must be a list, not %s", what, n.Kind).Hint = asListHint(what, n)
				return nil, false
			}
			list := make([]V, 0, len(n.Items))
			for _, item := range n.Items {
				if v, ok := s.read(p, item); ok {
					list = append(list, v)
				}
			}
			return list, true
		},
		schema: func(w *schemaWriter) any {
			return map[string]any{"type": "array", "items": s.schema(w)}
		},
	}
}

// asListHint shows how a value that is no list would be written as one.
func asListHint(what string, n *tree.Node) string {
	switch {
	case what == "tools" && slices.Contains([]string{"*", "all", "any"}, n.Text):
		return tree.NoWordForAll
	case n.Kind == tree.KindMap && len(n.Entries) > 0:
		return mapAsListHint(what, n.Entries)
	case n.Kind != tree.KindString || strings.Contains(n.Text, "\n"):
		return ""
	case what == "command":
		return inList(strings.Fields(n.Text))
	case what == "checks":
		return "write [{run: " + inBraces(n) + "}]"
	case what == "choices" && yesOrNo(n.Text) != "":
		return "write [yes, no]"
	case what == "choices":
		return inList(strings.FieldsFunc(n.Text, func(r rune) bool { return strings.ContainsRune("/|,", r) }))
	}
	return inList(strings.Split(n.Text, ","))
}

// mapAsListHint shows how a map would be written as a list.
func mapAsListHint(what string, entries []tree.Entry) string {
	key, value := entries[0].Key.Text, entries[0].Value
	switch {
	case what == "steps" && value.Get("steps") != nil:
		return fmt.Sprintf("take the list under jobs.%s.steps up to the top; the rest of the job falls away", tree.Clip(key, 40))
	case value.Kind == tree.KindMap && what == "cases":
		return "each of them begins with a dash: - name: " + tree.Clip(key, 40)
	case value.Kind == tree.KindMap:
		return "each of them begins with a dash: - id: " + tree.Clip(key, 40)
	case strings.HasPrefix(key, "-"):
		return "a dash needs a space behind it: - " + tree.Clip(key[1:], 40)
	case strings.Trim(key[:min(3, len(key))], "–—−•* ") == "":
		return "an item of a list begins with - and a space: - " + tree.Clip(strings.TrimLeft(key, "–—−•* "), 40) + ": " + tree.Clip(value.Text, 40)
	case (what == "checks" || what == "steps" || what == "calls") && len(entries) == 1 && value.Kind == tree.KindString:
		return "write [{" + key + ": " + inBraces(value) + "}]"
	case what == "steps":
		return "each step begins with a dash: - " + tree.Clip(key+": "+value.Text, 60)
	case what == "tools" || what == "needs" || what == "secrets":
		names := make([]string, len(entries))
		for i, e := range entries {
			names[i] = e.Key.Text
		}
		return inList(names)
	}
	return ""
}

// inList proposes a list of some words.
func inList(words []string) string { return "write [" + wordsIn(words) + "]" }

func wordsIn(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = tree.InBrackets(strings.TrimSpace(word))
	}
	return tree.Clip(strings.Join(quoted, ", "), 200)
}

// inBraces writes a scalar as it stands in a map in braces.
func inBraces(n *tree.Node) string { return tree.InBrackets(tree.Clip(n.Text, 80)) }

// A named value is an entry of a map whose keys the user chooses.
type named[V any] struct {
	name  *tree.Node
	value V
}

// entriesOf is a map from names to values of one shape, in the file's order.
func entriesOf[V any](what string, s shape[V]) shape[[]named[V]] {
	return shape[[]named[V]]{
		read: func(p *parser, n *tree.Node) ([]named[V], bool) {
			if n.Kind != tree.KindMap {
				p.Errorf(n, diagnostic.CodeValue, "%s must be a map, not %s", what, n.Kind).Hint = byNameHint(what, n)
				return nil, false
			}
			list := make([]named[V], 0, len(n.Entries))
			for _, e := range n.Entries {
				if v, ok := s.read(p, e.Value); ok && (what == rulesOfOneTool || p.noExpression(e.Key, "")) {
					list = append(list, named[V]{e.Key, v})
				}
			}
			return list, true
		},
		schema: func(w *schemaWriter) any {
			return map[string]any{"type": "object", "additionalProperties": s.schema(w)}
		},
	}
}

// byNameHint shows how a value that is no map is written by name.
func byNameHint(what string, n *tree.Node) string {
	switch {
	case what == "permissions" && n.Kind == tree.KindString && isPlainWord(n.Text):
		return fmt.Sprintf("each tool has its rules: permissions: {read: %s}", n.Text)
	case what == "outputs" && n.Kind == tree.KindString:
		return "each has a name: outputs: {result: " + inBraces(n) + "}"
	}
	if n.Kind != tree.KindList || len(n.Items) == 0 {
		return ""
	}
	name := "name"
	if first := n.Items[0]; first.Get("name") != nil {
		name = tree.Clip(first.Get("name").Text, 40)
	} else if key, value, assigned := strings.Cut(first.Text, "="); assigned {
		return fmt.Sprintf("each stands under its name, without a dash: %s: {%s: %s}", what, tree.Clip(key, 40), tree.InBrackets(tree.Clip(value, 40)))
	} else if first.Kind == tree.KindString {
		name = tree.Clip(first.Text, 40)
	}
	return fmt.Sprintf("each stands under its name, without a dash: %s: {%s: …}", what, name)
}

// mapOf is entriesOf where the order does not matter.
func mapOf[V any](what string, s shape[V]) shape[map[string]V] {
	entries := entriesOf(what, s)
	return shape[map[string]V]{
		read: func(p *parser, n *tree.Node) (map[string]V, bool) {
			list, ok := entries.read(p, n)
			m := make(map[string]V, len(list))
			for _, e := range list {
				m[e.name.Text] = e.value
			}
			return m, ok
		},
		schema: entries.schema,
	}
}

// someOf is a list of one value or more, up to a maximum.
func someOf[V any](what string, most int, s shape[V]) shape[[]V] {
	list := listOf(what, s)
	return shape[[]V]{
		read: func(p *parser, n *tree.Node) ([]V, bool) {
			switch {
			case n.Kind == tree.KindList && len(n.Items) == 0:
				p.Errorf(n, diagnostic.CodeValue, "there are no %s", what)
			case len(n.Items) > most:
				p.Errorf(n, diagnostic.CodeValue, "the list has %s %s; the most is %s", quantity.Thousands(len(n.Items)), what, quantity.Thousands(most))
				return nil, false
			}
			return list.read(p, n)
		},
		schema: func(w *schemaWriter) any {
			return map[string]any{"type": "array", "items": s.schema(w), "minItems": 1}
		},
	}
}
