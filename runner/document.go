package runner

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/tools"
)

// MarshalJSON returns the contents of run.json, with secrets not hidden.
func (r *Result) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	err := r.WriteJSON(&out, nil)
	return out.Bytes(), err
}

// WriteJSON writes the contents of run.json with mask applied; nil hides nothing. Each step, and each element
// of a foreach, is one line, and no more than one of them is in memory.
func (r *Result) WriteJSON(w io.Writer, mask *tools.Mask) error {
	type fields Result        // without the methods
	out := bufio.NewWriter(w) // keeps its first error
	head, err := openObject((*fields)(r), mask)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s,\n\"steps\":{", head)
	for i, step := range r.Steps {
		path, _ := jsonline.Encode(step.path) // a text has JSON
		fmt.Fprintf(out, "%s\n%s:", comma(i), mask.JSON(path))
		if err := step.write(out, mask); err != nil {
			return err
		}
	}
	out.WriteString("\n}}\n")
	return out.Flush()
}

// write writes the value of a step in run.json.
func (r *StepResult) write(out io.Writer, mask *tools.Mask) error {
	head, err := openObject(r.fieldsShown(), mask)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s", head)
	if r.listsElements() {
		fmt.Fprint(out, `,"results":[`)
		mask = cmp.Or(mask, r.elements.mask)
		for i := range r.elements.count() {
			element, err := r.elements.element(i)
			if err != nil {
				return err
			}
			line, err := element.MarshalJSON()
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s\n%s", comma(i), mask.JSON(line))
		}
		fmt.Fprint(out, "]")
	}
	fmt.Fprint(out, "}")
	return nil
}

// comma returns what stands before the i-th member.
func comma(i int) string {
	if i > 0 {
		return ","
	}
	return ""
}

// openObject returns the JSON of a value, an object, without its end.
func openObject(value any, mask *tools.Mask) ([]byte, error) {
	data, err := jsonline.Encode(value)
	return bytes.TrimSuffix(mask.JSON(data), []byte("}")), err
}

// MarshalJSON writes an object whose keys are the paths, in the order of the steps.
func (s StepResults) MarshalJSON() ([]byte, error) {
	values := make(Values, len(s))
	for i, step := range s {
		values[i] = NamedValue{step.path, step}
	}
	return values.MarshalJSON()
}
