package format

import (
	_ "embed" // foreign_keys.txt
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// foreignText has what users write where there is no such key: words of other tools, and keys
// that belong elsewhere. Behind = stands what completes "here it is …". A section is of one
// object, by its name; others are of commands, flags, tools, providers, fields of steps, types, keywords of JSON Schema, and values.
//
//go:embed foreign_keys.txt
var foreignText string

var foreignWords = sync.OnceValue(func() map[string]map[string]string {
	sections := map[string]map[string]string{}
	for section := range strings.SplitSeq("\n"+foreignText, "\n# ") {
		name, lines, _ := strings.Cut(section, "\n")
		sections[name] = nearest.Table(lines)
	}
	return sections
})

// Foreign returns the words of other tools, with their meanings, for an object, or another section.
func Foreign(section string) map[string]string { return foreignWords()[section] }

// foreign returns what a key of another tool is in the object: needsApproval and needs-approval are
// needs_approval. It is "" for a key that the table does not have.
func (o *Object[T]) foreign(key string) string {
	fold := strings.NewReplacer("-", "", "_", "")
	for word, meaning := range Foreign(o.Name) {
		if strings.EqualFold(fold.Replace(word), fold.Replace(key)) {
			return meaning
		}
	}
	return ""
}

// An unknownKey is a key that an object does not have. Where it is clear which key was meant, that one
// replaces it in the tree, so that one slip is reported once.
type unknownKey struct {
	key   *tree.Node // as the file has it
	meant string     // the key as which its value is read; "" for none
	near  string     // the nearest key, which may be there already; "" for none
}

// unknownKeys finds the keys of a map that the object does not have, and replaces those whose
// meaning is clear.
func (o *Object[T]) unknownKeys(n *tree.Node) (found []unknownKey) {
	keys := o.keys()
	for i, e := range n.Entries {
		name := e.Key.Text
		if slices.Contains(keys, name) || o.Open && strings.HasPrefix(name, openPrefix) {
			continue
		}
		u := unknownKey{key: e.Key}
		if word := o.foreign(name); word != "" {
			quoted, _, _ := strings.Cut(word, ";")
			u.meant, _ = strconv.Unquote(quoted)
		} else {
			u.near = nearest.Of(name, keys)
			u.meant = u.near
		}
		if !slices.Contains(keys, u.meant) || n.Get(u.meant) != nil {
			u.meant = ""
		} else {
			key := *e.Key
			key.Text = u.meant
			n.Entries[i].Key = &key
		}
		found = append(found, u)
	}
	return found
}

// read reads the value of an unknown key as that of the key that was meant. Whether it fits does not
// count: the key is the mistake.
func (u unknownKey) read(r *Reader, read func()) {
	before := len(r.Found)
	read()
	r.Found = slices.Concat(r.Found[:before], slices.DeleteFunc(r.Found[before:], func(d *diagnostic.Diagnostic) bool { return d.Code == diagnostic.CodeValue }))
}

// keyHint suggests a key for one that the object does not have.
func (o *Object[T]) keyHint(r *Reader, n *tree.Node, u unknownKey) string {
	name := u.key.Text
	if word := o.foreign(name); word != "" {
		return "here it is " + word
	}
	if u.near != "" {
		return fmt.Sprintf("did you mean %q?", u.near)
	}
	if r.Where != nil {
		if where := r.Where(o.Name, name); where != "" {
			return where
		}
	}
	return o.keysHint(n)
}

// keysHint lists the keys of an object, or those of its kind.
func (o *Object[T]) keysHint(n *tree.Node) string {
	kind := Kind("")
	if o.KindOf != nil {
		if kind = o.KindOf(n); kind == "" {
			return "what " + o.What + " does is " + Foreign(o.Name)["type"]
		}
	}
	var keys []string
	for _, f := range o.Fields {
		if f.Kinds == nil || slices.Contains(f.Kinds, kind) {
			keys = append(keys, f.Key)
		}
	}
	if len(keys) == 1 {
		return "its only key is " + keys[0]
	}
	return "its keys are " + strings.Join(keys, ", ")
}
