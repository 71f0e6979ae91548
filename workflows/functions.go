package workflows

import (
	_ "embed" // functions.txt
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/tree"
)

// A Function can be called by expressions.
type Function struct {
	Name    string `json:"name"`
	Example string `json:"example"` // an expression that calls it
	Gives   string `json:"gives"`   // the value of the example, as text
}

// Functions returns the functions that the expressions of every workflow can call, sorted
// by name. In the examples of file and glob the workspace has the files VERSION, with the
// text 1.2.0, a.go and b.go.
func Functions() []Function { return slices.Clone(functionExamples()) }

//go:embed functions.txt
var functionLines string

// functionExamples are the lines of functions.txt: an example, and its value.
var functionExamples = sync.OnceValue(func() (all []Function) {
	for line := range strings.Lines(functionLines) {
		example, gives, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " → ")
		all = append(all, Function{example[:tree.WordLength(example)], example, gives})
	}
	return all
})
