// Package script plays a model from a script, and writes a script from what
// another model answered. Neither needs a key, a network or a cent, so that a
// workflow can be tried, tested and shown with all of flow's machinery in
// place.
//
// A script has turns for each step; a turn is a function from what the model
// would see to what it answers:
//
//	model := script.New("script/demo", script.Script{Steps: map[string][]script.Turn{
//		"greet": {func(s script.Scene) (script.Answer, error) {
//			return script.Answer{Text: "You said: " + s.Prompt}, nil
//		}},
//	}})
//
// The package knows no file format for reading: who parses a script's file
// turns its text and expressions into [Turn] functions. What [Recorder] writes
// is YAML of that format.
package script

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// A Script holds the turns that a model plays.
type Script struct {
	// Steps has the turns of each step. A request's turns are looked up by its
	// conversation (pages/3@attempt-2), the same without what follows each @
	// (pages/3), its step's path (group/pages), the last element of that path
	// (pages), and then [AnyStep]; the first that is there is played.
	Steps map[string][]Turn
}

// AnyStep is the key of the turns for every step that has none of its own.
const AnyStep = "*"

// A Turn says what the model answers to what it sees. It may be called by
// several conversations at once.
type Turn func(Scene) (Answer, error)

// turns finds what is played for a request of a conversation and a step.
func (s Script) turns(place, step string) ([]Turn, error) {
	for at := len(place); at > 0; at = strings.LastIndexByte(place[:at], '@') {
		if turns, found := s.Steps[place[:at]]; found {
			return turns, nil
		}
	}
	last := step[strings.LastIndexByte(step, '/')+1:]
	for _, key := range []string{step, last, AnyStep} {
		if turns, found := s.Steps[key]; found {
			return turns, nil
		}
	}
	return nil, fmt.Errorf("no turns for step %q, and none for any step (%q); the script has %s", step, AnyStep, s.names())
}

// names lists the steps of the script for a message of bounded length.
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
