package workflows

import (
	"slices"
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
	name   string // of its definition in the JSON Schema
	what   string // for messages: "a step"
	doc    string
	fields []field[T]
	open   bool // keys that begin with openPrefix are for anchors, and mean nothing
}

// read reads the fields in the order of the table, and returns the keys of the map; nil
// where it is no map.
func (o *object[T]) read(p *parser, n *tree.Node, into *T) map[string]tree.Entry {
	if n.Kind != tree.KindMap {
		p.Errorf(n, diagnostic.CodeValue, "%s must be a map, not %s", o.what, n.Kind).Hint = o.keysHint(n)
		return nil
	}
	unknown := o.unknownKeys(n)
	for i := range o.fields {
		f := &o.fields[i]
		value := n.Get(f.key)
		at := slices.IndexFunc(unknown, func(u unknownKey) bool { return u.meant == f.key })
		switch {
		case value == nil && f.required:
			p.Errorf(n, diagnostic.CodeKey, "%s has no %q", o.what, f.key).Hint = "it is required: " + strings.ToLower(f.doc[:1]) + strings.TrimSuffix(f.doc[1:], ".")
		case value == nil:
		case at >= 0:
			unknown[at].read(p, func() { f.read(p, value, into) })
		default:
			f.read(p, value, into)
		}
	}
	for _, u := range unknown {
		p.Errorf(u.key, diagnostic.CodeKey, "%s has no key %q", o.what, u.key.Text).Hint = o.keyHint(n, u)
	}
	present := make(map[string]tree.Entry, len(n.Entries))
	for _, e := range n.Entries {
		present[e.Key.Text] = e
	}
	return present
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
				p.Errorf(n, diagnostic.CodeValue, "%s must be a list, not %s", what, n.Kind).Hint = listHint(n)
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
				p.Errorf(n, diagnostic.CodeValue, "%s must be a map, not %s", what, n.Kind).Hint = "each stands under its name, without a dash: " + what + ": {NAME: …}"
				return nil, false
			}
			list := make([]named[V], 0, len(n.Entries))
			for _, e := range n.Entries {
				if v, ok := s.read(p, e.Value); ok && (what == rulesOfOneTool || p.noExpression(e.Key)) {
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
