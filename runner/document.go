package runner

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
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

// WriteJSON writes the contents of run.json with mask applied; nil hides nothing. It is indented, with
// each element of a foreach on one line, and no more than one of them is in memory.
func (r *Result) WriteJSON(w io.Writer, mask *tools.Mask) error {
	type fields Result        // without the methods
	out := bufio.NewWriter(w) // keeps its first error
	head, err := indented((*fields)(r), mask, "")
	if err != nil {
		return err
	}
	out.Write(bytes.TrimSuffix(head, []byte("\n}")))
	out.WriteString(",\n  \"steps\": {")
	for i, step := range r.Steps {
		path, _ := jsonline.Encode(step.path) // a text has JSON
		fmt.Fprintf(out, "%s\n    %s: ", comma(i), mask.JSON(path))
		if err := step.write(out, mask); err != nil {
			return err
		}
	}
	if len(r.Steps) > 0 {
		out.WriteString("\n  ")
	}
	out.WriteString("}\n}\n")
	return out.Flush()
}

// write writes the value of a step in run.json.
func (r *StepResult) write(out io.Writer, mask *tools.Mask) error {
	head, err := indented(r.fieldsShown(), mask, "    ")
	if err != nil || !r.listsElements() {
		out.Write(head)
		return err
	}
	fmt.Fprintf(out, "%s,\n      \"results\": [", bytes.TrimSuffix(head, []byte("\n    }")))
	n := r.elements.count()
	mask = cmp.Or(mask, r.elements.mask)
	for i := range n {
		line, err := r.elements.line(i)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n        %s", comma(i), mask.JSON(line))
	}
	if n > 0 {
		fmt.Fprint(out, "\n      ")
	}
	fmt.Fprint(out, "]\n    }")
	return nil
}

// comma returns what stands before the i-th member.
func comma(i int) string {
	if i > 0 {
		return ","
	}
	return ""
}

func indented(value any, mask *tools.Mask, around string) ([]byte, error) {
	var out bytes.Buffer
	data, err := jsonline.Encode(value)
	if err == nil {
		err = json.Indent(&out, mask.JSON(data), around, "  ")
	}
	return out.Bytes(), err
}

// MarshalJSON writes an object whose keys are the paths, in the order of the steps.
func (s StepResults) MarshalJSON() ([]byte, error) {
	values := make(Values, len(s))
	for i, step := range s {
		values[i] = NamedValue{step.path, step}
	}
	return values.MarshalJSON()
}
