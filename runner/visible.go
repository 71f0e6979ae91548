package runner

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// VisibleSteps are the steps that have ended as the expressions of one unit see them: those of its own list
// and of the lists around that. It is safe for concurrent use.
type visibleSteps struct {
	list   *endedSteps   // shared by the units of the list
	around *visibleSteps // of the unit around the list; nil at the top of a workflow

	mu   sync.Mutex
	full map[*endedStep]map[string]any // what was read back, which is held as long as the unit lives
}

// EndedSteps are the steps of one list that have ended, by id.
type endedSteps struct {
	mu    sync.Mutex
	steps map[string]*endedStep
}

// An endedStep is a step that has ended. The results of a foreach, and a long text, are read back when
// an expression needs them.
type endedStep struct {
	result *StepResult
	light  map[string]any // all of it, except the results of elements and the whole of a long text
}

// lightFields has the fields that are known without reading anything back.
var lightFields = []string{"status", "turns", "usage", "stop_reason", "error", "exit_code", "comment"}

// newVisible returns what a list of a workflow's own steps sees.
func newVisible() *visibleSteps { return &visibleSteps{list: &endedSteps{}} }

// listInside returns what a new list inside the unit sees.
func (k *visibleSteps) listInside() *visibleSteps {
	return &visibleSteps{list: &endedSteps{}, around: k}
}

// forUnit returns what a unit of the list sees.
func (k *visibleSteps) forUnit() *visibleSteps { return &visibleSteps{list: k.list, around: k.around} }

// add makes a step of the list visible, if it has an id that others can use.
func (k *visibleSteps) add(r *StepResult) {
	if r.id == "" {
		return
	}
	k.list.mu.Lock()
	defer k.list.mu.Unlock()
	if k.list.steps == nil {
		k.list.steps = map[string]*endedStep{}
	}
	k.list.steps[r.id] = &endedStep{result: r, light: listless(&r.Result)}
}

// read returns a field of the step with that id, from the inside out, or all that is known without it;
// nil if the step has not ended.
func (k *visibleSteps) read(id, field string) (any, error) {
	for ; k != nil; k = k.around {
		k.list.mu.Lock()
		step := k.list.steps[id]
		k.list.mu.Unlock()
		if step != nil {
			return k.readStep(step, field)
		}
	}
	return nil, nil
}

// readPrevious is read for the round before. A step that was not there then has no fields.
func (k *visibleSteps) readPrevious(id, field string) (any, error) {
	step, err := k.read(id, field)
	if step == nil {
		step = map[string]any{}
	}
	return step, err
}

func (k *visibleSteps) readStep(step *endedStep, field string) (map[string]any, error) {
	r := step.result
	if r.unknown {
		return nil, &unknownStep{r.path}
	}
	if r.elements == nil && r.whole == nil || slices.Contains(lightFields, field) {
		return step.light, nil
	}
	full, err := k.readBack(step)
	if err != nil {
		return nil, fmt.Errorf("step %q: %w", r.path, err)
	}
	if r.elements == nil || field != "text" && field != "" {
		return full, nil
	}
	text, _, err := r.said()
	record := maps.Clone(full)
	record["text"] = text
	return record, err
}

// readBack reads back all of a step, except the text of a foreach, unless that is done already.
func (k *visibleSteps) readBack(step *endedStep) (full map[string]any, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if full = k.full[step]; full != nil {
		return full, nil
	}
	if full, err = step.result.fullRecord(); err != nil {
		return nil, err
	}
	if k.full == nil {
		k.full = map[*endedStep]map[string]any{}
	}
	k.full[step] = full
	return full, nil
}
