// Package format reads YAML files by tables: each kind of map is an [Object] with its fields, whose values
// have a [Shape]. What reads a value also describes it in the JSON Schema of the file, and the mistakes in
// a file name the keys of the tables.
//
//	table := &format.Object[config]{Name: "config", What: "a configuration", Fields: []format.Field[config]{
//		format.Key("name", format.Text(), func(c *config) *string { return &c.Name }, "What it is called.").Must(),
//	}}
//	var c config
//	table.Read(&format.Reader{Report: report}, root, &c)
package format

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// A Reader reads a file, and reports its mistakes. It goes on after one to find the others.
type Reader struct {
	*tree.Report

	// Where says where a key belongs that an object does not have, as a hint; "" for nowhere. It may be nil.
	Where func(object, key string) string

	Owner any // what shapes of a format's own read with
}

// A Shape is a form that a value of a file can have: how it is read, and how the JSON
// Schema of the format describes it. Read reports what is wrong, and then returns false.
type Shape[V any] struct {
	Read   func(*Reader, *tree.Node) (V, bool)
	Schema func(*Schema) any
}

// A Field is one key of an object.
type Field[T any] struct {
	Key      string
	Doc      string
	Required bool
	Kinds    []Kind // of objects that may have it, where an object is of one of several kinds; nil: any
	Read     func(r *Reader, n *tree.Node, into *T)
	Schema   func(*Schema) any
}

// Key makes a field from the shape of its value and the place where it is stored.
func Key[T, V any](name string, s Shape[V], at func(*T) *V, doc string) Field[T] {
	return Field[T]{
		Key: name, Doc: doc, Schema: s.Schema,
		Read: func(r *Reader, n *tree.Node, into *T) {
			if v, ok := s.Read(r, n); ok {
				*at(into) = v
			}
		},
	}
}

// Over is a field for an object whose keys override those that are set already.
func Over[T, V any](name string, o *Object[V], at func(*T) *V, doc string) Field[T] {
	return Field[T]{
		Key: name, Doc: doc, Schema: func(s *Schema) any { return Define(s, o) },
		Read: func(r *Reader, n *tree.Node, into *T) { o.Read(r, n, at(into)) },
	}
}

// Must makes a field required.
func (f Field[T]) Must() Field[T] {
	f.Required = true
	return f
}

// A Kind is one of several that an object can be of.
type Kind string

// On restricts a field to objects of some kinds.
func (f Field[T]) On(kinds ...Kind) Field[T] {
	f.Kinds = kinds
	return f
}

// openPrefix begins keys that may hold anything, such as what YAML anchors name.
const openPrefix = "x-"

// An Object is a map whose keys are known.
type Object[T any] struct {
	Name   string // of its definition in the JSON Schema
	What   string // for messages: "a step"
	Doc    string
	Fields []Field[T]
	Open   bool                    // keys that begin with openPrefix are for anchors, and mean nothing
	KindOf func(n *tree.Node) Kind // the kind of a map, where there are several; "" if it has none. nil: there is one
}

// Read reads the fields in the order of the table. It returns false for what is no map.
func (o *Object[T]) Read(r *Reader, n *tree.Node, into *T) bool {
	if n.Kind != tree.KindMap {
		r.Errorf(n, diagnostic.CodeValue, "%s must be a map, not %s", o.What, n.Kind).Hint = o.keysHint(n)
		return false
	}
	unknown := o.unknownKeys(n)
	kind := Kind("")
	if o.KindOf != nil {
		kind = o.KindOf(n)
	}
	for i := range o.Fields {
		f := &o.Fields[i]
		value := n.Get(f.Key)
		at := slices.IndexFunc(unknown, func(u unknownKey) bool { return u.meant == f.Key })
		switch {
		case value == nil && f.Required:
			r.Errorf(n, diagnostic.CodeKey, "%s has no %q", o.What, f.Key).Hint = "it is required: " + strings.ToLower(f.Doc[:1]) + strings.TrimSuffix(f.Doc[1:], ".")
		case value == nil:
		case kind != "" && f.Kinds != nil && !slices.Contains(f.Kinds, kind):
			if at < 0 {
				f.misplaced(r, n.Key(f.Key), kind)
			}
		case at >= 0:
			unknown[at].read(r, func() { f.Read(r, value, into) })
		default:
			f.Read(r, value, into)
		}
	}
	for _, u := range unknown {
		r.Errorf(u.key, diagnostic.CodeKey, "%s has no key %q", o.What, u.key.Text).Hint = o.keyHint(r, n, u)
	}
	return true
}

// misplaced reports the key of a field that objects of a kind can't have.
func (f *Field[T]) misplaced(r *Reader, key *tree.Node, kind Kind) {
	d := r.Errorf(key, diagnostic.CodeKey, "%q does not go with %q", f.Key, kind)
	if slices.Contains(f.Kinds, Kind(f.Key)) {
		d.Hint = "these are two kinds: each stands in an item of its own"
		return
	}
	names := make([]string, len(f.Kinds))
	for i, kind := range f.Kinds {
		names[i] = string(kind)
	}
	d.Hint = "it goes with " + tree.Quoted(names)
}

func (o *Object[T]) keys() []string {
	keys := make([]string, len(o.Fields))
	for i, f := range o.Fields {
		keys[i] = f.Key
	}
	return keys
}

// Shape makes a shape of the object. start returns the value before its keys are read; nil: the zero value.
func (o *Object[T]) Shape(start func(*Reader, *tree.Node) T) Shape[T] {
	return Shape[T]{
		Read: func(r *Reader, n *tree.Node) (v T, ok bool) {
			if start != nil {
				v = start(r, n)
			}
			return v, o.Read(r, n, &v)
		},
		Schema: func(s *Schema) any { return Define(s, o) },
	}
}

// Either is a value of one of two shapes, chosen by its node.
func Either[V any](isFirst func(*tree.Node) bool, first, second Shape[V]) Shape[V] {
	return Shape[V]{
		Read: func(r *Reader, n *tree.Node) (V, bool) {
			if isFirst(n) {
				return first.Read(r, n)
			}
			return second.Read(r, n)
		},
		Schema: func(s *Schema) any { return map[string]any{"anyOf": []any{second.Schema(s), first.Schema(s)}} },
	}
}

// IsMap reports whether a node is a map.
func IsMap(n *tree.Node) bool { return n.Kind == tree.KindMap }

// Map is a map that is read later. The message begins with must.
func Map(must, hint string) Shape[*tree.Node] {
	return Shape[*tree.Node]{
		Read: func(r *Reader, n *tree.Node) (*tree.Node, bool) {
			if !IsMap(n) {
				r.Errorf(n, diagnostic.CodeValue, "%s, not %s", must, n.Describe()).Hint = hint
			}
			return n, IsMap(n)
		},
		Schema: Fixed(map[string]any{"type": "object"}),
	}
}

// ListOf is a list of values of one shape.
func ListOf[V any](what string, s Shape[V]) Shape[[]V] {
	return Shape[[]V]{
		Read: func(r *Reader, n *tree.Node) ([]V, bool) {
			if n.Kind != tree.KindList {
				r.Errorf(n, diagnostic.CodeValue, "%s must be a list, not %s", what, n.Kind).Hint = ListHint(what, n)
				return nil, false
			}
			list := make([]V, 0, len(n.Items))
			for _, item := range n.Items {
				if v, ok := s.Read(r, item); ok {
					list = append(list, v)
				}
			}
			return list, true
		},
		Schema: func(w *Schema) any { return map[string]any{"type": "array", "items": s.Schema(w)} },
	}
}

// SomeOf is a list of one value or more, up to a maximum.
func SomeOf[V any](what string, maximum int, s Shape[V]) Shape[[]V] {
	list := ListOf(what, s)
	return Shape[[]V]{
		Read: func(r *Reader, n *tree.Node) ([]V, bool) {
			switch {
			case n.Kind == tree.KindList && len(n.Items) == 0:
				r.Errorf(n, diagnostic.CodeValue, "there are no %s", what)
			case len(n.Items) > maximum:
				r.Errorf(n, diagnostic.CodeValue, "the list has %s %s; the most is %s", quantity.Thousands(len(n.Items)), what, quantity.Thousands(maximum))
				return nil, false
			}
			return list.Read(r, n)
		},
		Schema: func(w *Schema) any {
			return map[string]any{"type": "array", "items": s.Schema(w), "minItems": 1}
		},
	}
}

// OneOrMore is one value or a list of them.
func OneOrMore[V any](s Shape[V]) Shape[[]V] {
	one := Mapped(s, func(v V) []V { return []V{v} })
	return Either(func(n *tree.Node) bool { return n.Kind == tree.KindList }, ListOf("it", s), one)
}

// A Named value is an entry of a map whose keys the user chooses.
type Named[V any] struct {
	Name  *tree.Node
	Value V
}

// EntriesOf is a map from names to values of one shape, in the file's order.
func EntriesOf[V any](what string, s Shape[V]) Shape[[]Named[V]] {
	return entriesOf(what, s, NoExpression)
}

// PatternsOf is [EntriesOf] for keys that may contain expressions.
func PatternsOf[V any](what string, s Shape[V]) Shape[[]Named[V]] {
	return entriesOf(what, s, func(*Reader, *tree.Node) bool { return true })
}

func entriesOf[V any](what string, s Shape[V], isKey func(*Reader, *tree.Node) bool) Shape[[]Named[V]] {
	return Shape[[]Named[V]]{
		Read: func(r *Reader, n *tree.Node) ([]Named[V], bool) {
			if !IsMap(n) {
				r.Errorf(n, diagnostic.CodeValue, "%s must be a map, not %s", what, n.Kind).Hint = "each stands under its name, without a dash: " + what + ": {NAME: …}"
				return nil, false
			}
			list := make([]Named[V], 0, len(n.Entries))
			for _, e := range n.Entries {
				if v, ok := s.Read(r, e.Value); ok && isKey(r, e.Key) {
					list = append(list, Named[V]{e.Key, v})
				}
			}
			return list, true
		},
		Schema: func(w *Schema) any { return map[string]any{"type": "object", "additionalProperties": s.Schema(w)} },
	}
}

// Each converts the elements of a list.
func Each[V, W any](s Shape[[]V], turn func(*Reader, V) W) Shape[[]W] {
	return Shape[[]W]{
		Read: func(r *Reader, n *tree.Node) ([]W, bool) {
			list, ok := s.Read(r, n)
			turned := make([]W, len(list))
			for i, v := range list {
				turned[i] = turn(r, v)
			}
			return turned, ok
		},
		Schema: s.Schema,
	}
}

// MapOf is [EntriesOf] where the order does not matter.
func MapOf[V any](what string, s Shape[V]) Shape[map[string]V] {
	return Mapped(EntriesOf(what, s), func(list []Named[V]) map[string]V {
		m := make(map[string]V, len(list))
		for _, e := range list {
			m[e.Name.Text] = e.Value
		}
		return m
	})
}

// Mapped converts the value of a shape.
func Mapped[V, W any](s Shape[V], turn func(V) W) Shape[W] {
	return Shape[W]{
		Read: func(r *Reader, n *tree.Node) (W, bool) {
			v, ok := s.Read(r, n)
			return turn(v), ok
		},
		Schema: s.Schema,
	}
}

// Pointer is a shape that is nil where the file has no value.
func Pointer[V any](s Shape[V]) Shape[*V] { return Mapped(s, func(v V) *V { return &v }) }
