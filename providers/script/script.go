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
