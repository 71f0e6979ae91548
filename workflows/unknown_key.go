package workflows

import (
	_ "embed" // foreign_keys.txt
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// foreignText has what users write where there is no such key: words of other tools, and keys
// that belong elsewhere. Behind = stands what completes "here it is …". A section is of one
// object of the format, by its name; the last ones are of tools, fields of steps, and values.
//
//go:embed foreign_keys.txt
var foreignText string

// foreignWords are the meanings of words, by section.
var foreignWords = sync.OnceValue(func() map[string]map[string]string {
	sections := map[string]map[string]string{}
	for section := range strings.SplitSeq("\n"+foreignText, "\n# ") {
		name, lines, _ := strings.Cut(section, "\n")
		sections[name] = nearest.Table(lines)
	}
	return sections
})

// foreign returns what a key of another tool is in the object: needsApproval and needs-approval are
// needs_approval. It is "" for a key that the table does not have.
func (o *object[T]) foreign(key string) string {
	fold := strings.NewReplacer("-", "", "_", "")
	for word, meaning := range foreignWords()[o.name] {
		if strings.EqualFold(fold.Replace(word), fold.Replace(key)) {
			return meaning
		}
	}
	if len(key) < longWord || nearest.Of(key, o.keys()) != "" {
		return ""
	}
	words := slices.Sorted(maps.Keys(foreignWords()[o.name]))
	return foreignWords()[o.name][nearest.Within(1, key, words)]
}

// An unknownKey is a key that an object does not have. Where it is clear which key was meant, that one
// replaces it in the tree, so that one slip is reported once.
type unknownKey struct {
	key   *tree.Node // as the file has it
	meant string     // the key as which its value is read; "" for none
	twice *tree.Node // the key that was meant, which is there already; nil: it is not
}

// unknownKeys finds the keys of a map that the object does not have, and replaces those whose
// meaning is clear.
func (o *object[T]) unknownKeys(n *tree.Node) (found []unknownKey) {
	keys := o.keys()
	for i, e := range n.Entries {
		name := e.Key.Text
		if slices.Contains(keys, name) || o.open && strings.HasPrefix(name, openPrefix) {
			continue
		}
		u := unknownKey{key: e.Key}
		if word := o.foreign(name); word != "" {
			quoted, _, _ := strings.Cut(word, ";")
			u.meant, _ = strconv.Unquote(quoted)
		} else {
			u.meant = nearest.Of(name, keys)
		}
		switch {
		case !slices.Contains(keys, u.meant):
			u.meant = ""
		case n.Get(u.meant) != nil:
			u.meant, u.twice = "", n.Key(u.meant)
		default:
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
func (u unknownKey) read(p *parser, read func()) {
	before := len(p.Found)
	read()
	p.Found = slices.Concat(p.Found[:before], slices.DeleteFunc(p.Found[before:], func(d *diagnostic.Diagnostic) bool { return d.Code == diagnostic.CodeValue }))
}

// keyHint suggests a key for one that the object does not have.
func (o *object[T]) keyHint(n *tree.Node, u unknownKey) string {
	name := u.key.Text
	switch word, where := o.foreign(name), whereHint(o.name, name); {
	case u.twice != nil:
		return thereAlready(u.twice.Text, u.twice)
	case word != "":
		return "here it is " + word
	case u.meant != "":
		return fmt.Sprintf("did you mean %q?", u.meant)
	case strings.HasPrefix(name, ".") || strings.HasPrefix(name, openPrefix):
		return "what an anchor names stands at the top of the file: x-base: &base {…}, then <<: *base"
	case where != "":
		return where
	}
	return o.keysHint(n)
}

// whereHint says where in a workflow a key belongs that an object of it does not have; "" for a key that
// belongs nowhere.
func whereHint(object, key string) string {
	if !everywhere().has(object) { // it belongs to another kind of file
		return ""
	}
	keys := everywhere().keys
	if where := keys[key]; where != "" {
		return "here it is " + where
	}
	if near := nearest.Of(key, slices.Sorted(maps.Keys(keys))); len(key) >= longWord && near != "" {
		return fmt.Sprintf("did you mean %q? It is %s", near, keys[near])
	}
	return ""
}

// longWord is the length of words from which one that differs by a letter is most likely a
// slip; shorter ones are all near some other.
const longWord = 6

// thereAlready suggests a name that is there, so that it can't be written once more.
func thereAlready(name string, at *tree.Node) string {
	return fmt.Sprintf("did you mean %q? It is there already, in line %d", name, at.Line)
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
			return "what a step does is " + foreignWords()["step"]["type"]
		}
	}
	if len(keys) == 1 {
		return "its only key is " + keys[0]
	}
	return "its keys are " + strings.Join(slices.Sorted(slices.Values(keys)), ", ")
}

// kindIn returns the kind of a step; "" for a map that names none.
func kindIn(n *tree.Node) (kind Kind) {
	for _, key := range kindKeys() {
		if n.Get(key) != nil {
			kind = kindOf(key)
		}
	}
	return kind
}

// A layout is how an object of a workflow is written around %s.
type layout struct{ object, around string }

// whereabouts says where the objects and the keys of a workflow stand.
type whereabouts struct {
	objects []layout          // each after those around it
	keys    map[string]string // "a key of a step": at the top, in a step, or in the first object that has it
}

var everywhere = sync.OnceValue(func() whereabouts {
	w := &schemaWriter{defs: map[string]any{}}
	define(w, newFormat().file)
	properties := func(object string) map[string]any {
		return w.defs[object].(map[string]any)["properties"].(map[string]any)
	}
	all := whereabouts{objects: []layout{{"step", "%s"}, {"workflow", "%s"}}, keys: map[string]string{}}
	for i := 0; i < len(all.objects); i++ {
		at := all.objects[i]
		for _, key := range slices.Sorted(maps.Keys(properties(at.object))) {
			if all.keys[key] == "" {
				all.keys[key] = "part of " + fmt.Sprintf(at.around, key+": …")
			}
			for _, inner := range objectsIn(properties(at.object)[key], fmt.Sprintf(at.around, key+": {%s}")) {
				if !all.has(inner.object) {
					all.objects = append(all.objects, inner)
				}
			}
		}
	}
	for key := range properties("step") {
		all.keys[key] = `a key of a step, under "steps"`
	}
	for key := range properties("workflow") {
		all.keys[key] = "a key of the whole file"
	}
	return all
})

func (w whereabouts) has(object string) bool {
	return slices.ContainsFunc(w.objects, func(l layout) bool { return l.object == object })
}

// objectsIn finds the objects that a value can be, or contain.
func objectsIn(schema any, around string) (found []layout) {
	keywords, _ := schema.(map[string]any)
	if ref, is := keywords["$ref"].(string); is && strings.HasPrefix(ref, "#/$defs/") {
		found = append(found, layout{strings.TrimPrefix(ref, "#/$defs/"), around})
	}
	if items, is := keywords["items"]; is {
		found = append(found, objectsIn(items, strings.Replace(around, "{%s}", "[{%s}]", 1))...)
	}
	if values, is := keywords["additionalProperties"]; is {
		found = append(found, objectsIn(values, strings.Replace(around, "{%s}", "{NAME: {%s}}", 1))...)
	}
	either, _ := keywords["anyOf"].([]any)
	for _, one := range either {
		found = append(found, objectsIn(one, around)...)
	}
	return found
}
