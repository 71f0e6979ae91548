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
	"fmt"
	"slices"
	"sort"
	"strings"
)

// A Script has the turns of a model.
type Script struct {
	// Steps has the turns of each step. The turns for a request are the first that exist
	// for its conversation (pages/3@attempt-2), the same without what follows each @
	// (pages/3), its step's path (group/pages), the last element of that path (pages), and
	// [AnyStep].
	Steps map[string][]Turn
}

// AnyStep is the key of the turns for every step that has none of its own.
const AnyStep = "*"

// A Turn returns the model's answer to a scene. It may be called concurrently.
type Turn func(Scene) (Answer, error)

// turns returns the turns for a conversation of a step.
func (s Script) turns(conversation, step string) ([]Turn, error) {
	for at := len(conversation); at > 0; at = strings.LastIndexByte(conversation[:at], '@') {
		if turns, found := s.Steps[conversation[:at]]; found {
			return turns, nil
		}
	}
	last := step[strings.LastIndexByte(step, '/')+1:]
	for _, key := range []string{step, last, AnyStep} {
		if turns, found := s.Steps[key]; found {
			return turns, nil
		}
	}
	return nil, fmt.Errorf("the script has no turns for step %q or for every step (%q); it has %s", step, AnyStep, s.names())
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
