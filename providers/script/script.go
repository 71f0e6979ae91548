// Package script plays a model from a script, and records a script of another model's
// answers. Playing needs no key and no network, so that a workflow can be tried, tested and
// demonstrated with the rest of flow as it is.
//
// A script has turns for each step; a turn is a function from what the model would see to
// its answer:
//
//	model := script.New("script/demo", script.Script{Steps: map[string][]script.Turn{
//		"greet": {func(s script.Scene) (script.Answer, error) {
//			return script.Answer{Text: "You said: " + s.Prompt}, nil
//		}},
//	}})
//
// The package reads no files: package workflows parses scripts, whose expressions become
// [Turn] functions. [Recorder] writes that format.
package script

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// A Script has the turns of a model.
type Script struct {
	// Steps has the turns of each step. A key is the end of an address, and leaves out
	// numbers that don't matter: group/pages[3]~2, pages[3] and pages fit the same
	// conversation. Of the keys that fit, that with the most names is played, and of those
	// that with the most numbers; [AnyStep] is played where none fits.
	Steps map[string][]Turn
}

// AnyStep is the key of the turns for every step that has none of its own.
const AnyStep = "*"

// A Turn returns the model's answer to a scene. It may be called concurrently.
type Turn func(Scene) (Answer, error)

// A lookup finds the turns of a script. A key has a shape: which numbers each of its names has.
// The keys of one shape that can fit an address are one, so that a script of many keys costs
// no more than one of few.
type lookup struct {
	Script
	shapes []string // of all keys, the most exact first: "[]/#" for pages[3]/review#2
}

// marks matches the numbers of a name in an address.
var marks = regexp.MustCompile(`#[0-9]+|\[[0-9]+\]|~[0-9]+`)

func newLookup(s Script) *lookup {
	l := &lookup{Script: s}
	for key := range s.Steps {
		parts := strings.Split(key, "/")
		for i, part := range parts {
			parts[i] = strings.Map(func(r rune) rune {
				if strings.ContainsRune("#[~", r) {
					return r
				}
				return -1
			}, part)
		}
		l.shapes = append(l.shapes, strings.Join(parts, "/"))
	}
	slices.SortFunc(l.shapes, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(b, "/"), strings.Count(a, "/")), cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	l.shapes = slices.Compact(l.shapes)
	return l
}

// turns returns the turns for a conversation of a step.
func (l *lookup) turns(conversation, step string) ([]Turn, error) {
	for _, at := range []string{conversation, step} {
		parts := strings.Split(at, "/")
		for _, shape := range l.shapes {
			key, fits := keyOf(shape, parts)
			if turns, found := l.Steps[key]; found && fits {
				return turns, nil
			}
		}
	}
	if turns, found := l.Steps[AnyStep]; found {
		return turns, nil
	}
	return nil, fmt.Errorf("the script has no turns for step %q or for every step (%q); it has %s", step, AnyStep, l.names())
}

// keyOf returns the key of a shape that fits an address, of which it gives the last parts.
func keyOf(shape string, parts []string) (key string, fits bool) {
	shapes := strings.Split(shape, "/")
	if len(shapes) > len(parts) {
		return "", false
	}
	last := slices.Clone(parts[len(parts)-len(shapes):])
	for i, kinds := range shapes {
		kept := 0
		last[i] = marks.ReplaceAllStringFunc(last[i], func(mark string) string {
			if !strings.Contains(kinds, mark[:1]) {
				return ""
			}
			kept++
			return mark
		})
		if kept < len(kinds) {
			return "", false
		}
	}
	return strings.Join(last, "/"), true
}

// names lists the steps of the script for a message, shortened.
func (s Script) names() string {
	const most = 20
	if len(s.Steps) == 0 {
		return "no steps at all"
	}
	var names []string
	for name := range s.Steps {
		names = append(names, fmt.Sprintf("%.80q", name))
	}
	sort.Strings(names)
	if more := len(names) - most; more > 0 {
		names = append(slices.Clip(names[:most]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
