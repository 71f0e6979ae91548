package script

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A lookup finds the turns of a script.
type lookup struct {
	Script
	keys []address // the most exact first
}

// An address is one of a conversation, or its end, which is a key.
type address struct {
	text  string
	names []string
	marks [][]string // the numbers of each name: #1, [2], ~3
}

var marksPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`#[0-9]+|\[[0-9]+\]|~[0-9]+`) })

func parse(text string) address {
	a := address{text: text}
	for part := range strings.SplitSeq(text, "/") {
		a.names = append(a.names, marksPattern().ReplaceAllString(part, ""))
		a.marks = append(a.marks, marksPattern().FindAllString(part, -1))
	}
	return a
}

func newLookup(s Script) *lookup {
	l := &lookup{Script: s}
	for key := range s.Steps {
		l.keys = append(l.keys, parse(key))
	}
	slices.SortFunc(l.keys, func(a, b address) int {
		return cmp.Or(len(b.names)-len(a.names), len(slices.Concat(b.marks...))-len(slices.Concat(a.marks...)), strings.Compare(a.text, b.text))
	})
	return l
}

// turns returns the turns for a conversation of a step.
func (l *lookup) turns(conversation, step string) ([]Turn, error) {
	for _, text := range []string{conversation, step} {
		at := parse(text)
		for _, key := range l.keys {
			if key.ends(at) {
				return l.Steps[key.text], nil
			}
		}
	}
	if turns, found := l.Steps[AnyStep]; found {
		return turns, nil
	}
	return nil, fmt.Errorf("the script has no turns for step %q or for every step (%q); it has %s", step, AnyStep, l.names())
}

// ends reports whether an address ends in the key, which may leave numbers out.
func (key address) ends(at address) bool {
	skipped := len(at.names) - len(key.names)
	if skipped < 0 || !slices.Equal(at.names[skipped:], key.names) {
		return false
	}
	for i, marks := range key.marks {
		for _, mark := range at.marks[skipped+i] {
			if len(marks) > 0 && marks[0] == mark {
				marks = marks[1:]
			}
		}
		if len(marks) > 0 {
			return false
		}
	}
	return true
}
