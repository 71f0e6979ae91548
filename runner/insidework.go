package runner

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// insideWork is the work of a group with its own folder or variables, or of a step that uses
// a workflow: where it works, and its inputs.
type insideWork struct {
	Kind      string            `json:"kind"`
	Folder    string            `json:"folder,omitempty"`
	Variables []string          `json:"variables,omitempty"`
	Given     map[string]string `json:"given,omitempty"`
	Inputs    map[string]any    `json:"inputs,omitempty"`
}

func (t *site) insideWork(inputs map[string]any) insideWork {
	return insideWork{string(t.step.Kind), t.in.relative(t.at.workspace), t.at.names, t.at.given, inputs}
}

// insideWorkAt reads the recorded work of a unit with steps inside.
func (u *unit) insideWorkAt(at int64) (w insideWork, hidden bool, err error) {
	data, err := u.dataAt(at)
	if err != nil {
		return w, false, err
	}
	if err := jsonline.Decode(data, &w); err != nil {
		return w, false, fmt.Errorf("where and with what %q works: %w", u.address(), err)
	}
	return w, journal.Hidden(data), nil
}
