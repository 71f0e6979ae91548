package runner

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// stepFields is a result without its methods.
type stepFields StepResult

// shownFields are a result in run.json, where a field that its kind has is there even if it is zero.
type shownFields struct {
	*stepFields
	Turns     *int    `json:"turns,omitempty"`
	ToolCalls *int    `json:"tool_calls,omitempty"`
	Truncated *int    `json:"truncated_outputs,omitempty"`
	Cost      *Cost   `json:"cost_usd,omitempty"`
	Text      *string `json:"text,omitempty"`
	Stdout    *string `json:"stdout,omitempty"`
	Stderr    *string `json:"stderr,omitempty"`
}

// A storedResult is what the journal has of a result beside the fields in run.json.
type storedResult struct {
	Never     *steps.Result `json:"never,omitempty"`       // of a foreach: the result of each element that did not begin
	Whole     string        `json:"whole,omitempty"`       // the file in outputs/ that begins with the whole text
	WholeSize int64         `json:"whole_bytes,omitempty"` // the length of the text in that file
	WholeText string        `json:"whole_text,omitempty"`  // the text, if no file has it
}

func (r *StepResult) fieldsShown() (f shownFields) {
	f.stepFields = (*stepFields)(r)
	ended := r.Started != nil && r.Status != ""
	agent := r.Usage != nil || ended && r.Kind == workflows.KindPrompt && r.elements == nil
	calls := agent || ended && r.Kind == workflows.KindTool
	show(&f.Turns, &r.Turns, agent || r.Turns > 0)
	show(&f.ToolCalls, &r.ToolCalls, calls || r.ToolCalls > 0)
	show(&f.Truncated, &r.Truncated, calls || r.Truncated > 0 || ended && (r.elements != nil || r.Kind == workflows.KindRun))
	show(&f.Text, &r.Text, ended && r.elements == nil)
	command := ended && r.elements == nil && r.Kind == workflows.KindRun
	show(&f.Stdout, &r.Stdout, command)
	show(&f.Stderr, &r.Stderr, command)
	if r.Usage != nil {
		f.Cost = costOf(r.Used)
	}
	return f
}

func show[T any](field **T, value *T, applies bool) {
	if applies {
		*field = value
	}
}

// MarshalJSON returns the result as in run.json.
func (r *StepResult) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	err := r.write(&out, nil)
	return out.Bytes(), err
}

// listsElements reports whether the JSON of the result has results of elements.
func (r *StepResult) listsElements() bool { return r.elements != nil && r.Started != nil }

// MarshalJSON returns the result as in run.json: with the element's index and item, and with the steps
// inside it.
func (r *ElementResult) MarshalJSON() ([]byte, error) {
	return jsonline.Encode(struct {
		Index int `json:"index"`
		Item  any `json:"item"`
		shownFields
		Steps StepResults `json:"steps,omitempty"`
	}{r.Index, r.Item, r.fieldsShown(), flatten(r.inner)})
}

// line returns the JSON of the i-th element, with secrets not hidden.
func (e *elements) line(i int) ([]byte, error) {
	data, err := e.recordedJSON(e.index(i))
	if data != nil || err != nil {
		return data, err
	}
	element, err := e.element(i)
	if err != nil {
		return nil, err
	}
	return element.MarshalJSON()
}

// recordedJSON returns the JSON of an element as its record has it, so that it need not be parsed. It returns
// nil if run.json has more than the record (steps inside), less (the whole of a long text), or the stars
// of the record differently.
func (e *elements) recordedJSON(index int) ([]byte, error) {
	at, inner, _ := e.RecordsOf(index)
	if !e.hasEnded(index) || inner != nil || e.inMemory[index] != nil {
		return nil, nil
	}
	data, err := e.store.dataAt(at)
	if err != nil || bytes.Contains(data, []byte(`,"whole_`)) || bytes.Contains(data, []byte(`\u002a`)) || journal.Hidden(data) {
		return nil, err
	}
	item, err := e.item(index)
	if err != nil {
		return nil, err
	}
	encoded, err := jsonline.Encode(item)
	return fmt.Appendf(nil, `{"index":%d,"item":%s,%s`, index, encoded, data[1:]), err
}

// journaled returns the result as the journal has it.
func (r *StepResult) journaled() any {
	var j storedResult
	if r.elements != nil {
		j.Never = r.elements.never
	}
	if w := r.whole; w != nil {
		j.Whole, j.WholeSize, j.WholeText = w.name, w.size, w.text
	}
	return struct {
		shownFields
		storedResult
	}{r.fieldsShown(), j}
}

// restore reads a result from the journal.
func (r *StepResult) restore(data []byte, f *folder) error {
	var j storedResult
	into := struct {
		*stepFields
		*storedResult
	}{(*stepFields)(r), &j}
	if err := jsonline.Decode(data, &into); err != nil {
		return err
	}
	if r.never = j.Never; j.WholeSize <= 0 {
		return nil
	}
	if j.Whole != "" && filepath.Base(j.Whole) != j.Whole {
		return fmt.Errorf("%q is no file of outputs/", j.Whole)
	}
	r.whole = &wholeText{folder: f, name: j.Whole, size: j.WholeSize, text: j.WholeText}
	return nil
}
