package workflows

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// A stray is a key that an object does not have. Where it is clear which key was meant,
// that one replaces it in the tree, so that one slip is reported once.
type stray struct {
	key     *tree.Node // as the file has it
	at      int        // among the entries of the map
	meant   string     // the key as which its value is read; "" for none
	foreign bool       // it is a word of another tool
	value   *tree.Node
	form    string // of a foreign key: how its value is written here
}

// strays finds the keys of a map that the object does not have, and replaces those whose
// meaning is clear.
func (o *object[T]) strays(n *tree.Node) []*stray {
	var found []*stray
	keys := o.keys()
	for i, e := range n.Entries {
		if slices.Contains(keys, e.Key.Text) || o.open && strings.HasPrefix(e.Key.Text, openPrefix) {
			continue
		}
		s := &stray{key: e.Key, value: e.Value, at: i, meant: nearest.Of(e.Key.Text, keys)}
		if word := o.foreign()[o.foreignKey(e.Key.Text)]; word != "" {
			s.foreign, s.meant = true, ""
			if own, err := strconv.Unquote(word); err == nil && slices.Contains(keys, own) {
				s.meant = own
			}
		}
		if s.meant != "" && n.Get(s.meant) == nil {
			key := *e.Key
			key.Text = s.meant
			n.Entries[i].Key = &key
		}
		found = append(found, s)
	}
	return found
}

// judge drops the mistakes that were reported of the value since told, when it was read as
// that of the key that was meant. A value of another form shows that a key that is only
// similar was not meant.
func (s *stray) judge(p *parser, n *tree.Node, told int) {
	if len(p.Found) == told || n.Entries[s.at].Key == s.key {
		return
	}
	form := slices.IndexFunc(p.Found[told:], func(d *diagnostic.Diagnostic) bool {
		return d.Code == diagnostic.CodeValue && d.Line == s.value.Line && d.Column == s.value.Column
	})
	switch {
	case s.foreign && form >= 0:
		s.form = p.Found[told+form].Hint
	case s.foreign:
	case form < 0 || nearest.Within(1, s.key.Text, []string{s.meant}) != "":
		return
	default:
		s.meant = ""
		n.Entries[s.at].Key = s.key
	}
	p.Found = slices.Concat(p.Found[:told], slices.DeleteFunc(p.Found[told:], func(d *diagnostic.Diagnostic) bool { return d.Code == diagnostic.CodeValue }))
}

// lost reports whether the key is most likely the name of an element that belongs into a
// list of the object.
func (s *stray) lost(list string) bool {
	return list != "" && s.meant == "" && !s.foreign && s.value.Kind == tree.KindMap && whereHint("workflow", s.key.Text) == ""
}

// strayHint suggests a key for one that the object does not have.
func (o *object[T]) strayHint(n *tree.Node, s *stray) string {
	name := s.key.Text
	if s.meant != "" && n.Entries[s.at].Key == s.key {
		if s.foreign {
			return fmt.Sprintf("here it is %q, which is there already, in line %d", s.meant, n.Key(s.meant).Line)
		}
		return thereAlready(s.meant, n.Key(s.meant))
	}
	if s.foreign {
		for _, f := range o.fields {
			if kind := kindIn(n); f.key == s.meant && f.kinds != nil && kind != "" && !slices.Contains(f.kinds, kind) {
				if slices.Contains(kindKeys(), f.key) {
					return fmt.Sprintf("here it is a step of its own, with %q", f.key)
				}
				return fmt.Sprintf("here it is %q, which goes with %q", f.key, f.kinds[0])
			}
		}
		if s.form != "" {
			return "here it is " + o.foreign()[o.foreignKey(name)] + "; " + s.form
		}
		return "here it is " + o.foreign()[o.foreignKey(name)]
	}
	if s.meant != "" {
		return fmt.Sprintf("did you mean %q?", s.meant)
	}
	if strings.HasPrefix(name, "//") {
		return "a comment begins with #"
	}
	if name[:min(1, len(name))] == "." || strings.HasPrefix(name, openPrefix) {
		return "what an anchor names stands at the top of the file: x-base: &base {…}, then <<: *base"
	}
	if s.lost(o.list) {
		return "here it is an entry of " + o.list + ": - id: " + tree.Clip(name, 40)
	}
	return cmp.Or(whereHint(o.name, name), o.elsewhere, o.keysHint(n))
}

// thereAlready suggests a name that is there, so that it can't be written once more.
func thereAlready(name string, at *tree.Node) string {
	return fmt.Sprintf("did you mean %q? It is there already, in line %d", name, at.Line)
}

// nearHint is strayHint for a name without a value.
func (o *object[T]) nearHint(name string) string {
	if word := o.foreign()[o.foreignKey(name)]; word != "" {
		return "here it is " + word
	}
	return cmp.Or(tree.DidYouMean(name, o.keys()), o.keysHint(&tree.Node{}))
}

// keysHint lists the keys of an object; of a step those of its kind.
func (o *object[T]) keysHint(n *tree.Node) string {
	kind := kindIn(n)
	var keys []string
	for _, f := range o.fields {
		switch {
		case f.kinds == nil || slices.Contains(f.kinds, kind):
			keys = append(keys, f.key)
		case kind == "":
			return "what a step does is " + o.foreign()["type"]
		}
	}
	if len(keys) == 1 {
		return "its only key is " + keys[0]
	}
	return "its keys are " + strings.Join(slices.Sorted(slices.Values(keys)), ", ")
}

// longWord is the length of words from which one that differs by a letter is most likely a
// slip; shorter ones are all near some other.
const longWord = 6

// kindIn returns the kind of a step; "" for a map that names none.
func kindIn(n *tree.Node) Kind {
	var kind Kind
	for _, key := range kindKeys() {
		if n.Get(key) != nil {
			kind = kindOf(key)
		}
	}
	return kind
}

// foreignKey returns the word of another tool that a key is, or is similar to; "" for a key
// that is similar to one of the object, or belongs elsewhere.
func (o *object[T]) foreignKey(name string) string {
	fold := strings.NewReplacer("-", "", "_", "")
	words := slices.Sorted(maps.Keys(o.foreign()))
	for _, word := range words {
		if strings.EqualFold(fold.Replace(word), fold.Replace(name)) {
			return word
		}
	}
	if nearest.Of(name, o.keys()) != "" || keysElsewhere(o.name)[name] != "" {
		return ""
	}
	return nearest.Within(1, name, slices.DeleteFunc(words, func(word string) bool { return len(word) < longWord || len(name) < longWord }))
}

// toldAt reports whether a mistake has been reported at a node.
func (p *parser) toldAt(n *tree.Node) bool {
	return slices.ContainsFunc(p.Found, func(d *diagnostic.Diagnostic) bool {
		return d.File == n.Src.File && d.Line == n.Line && d.Column == n.Column
	})
}
