package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"

	"github.com/a-seed-11b9befa/flow/runner"
)

// Encoder returns what writes values as JSON, with <, > and & as they are: each on a line, or
// on many lines that are indented so.
func Encoder(to io.Writer, indent string) *json.Encoder {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	return encoder
}

// Elements writes each element of a foreach as JSON on a line, or any other step on one.
func Elements(to io.Writer, step *runner.StepResult) (err error) {
	out := bufio.NewWriter(to)
	lines := Encoder(out, "")
	if step.Counts == nil && !step.HasElements() {
		err = lines.Encode(step)
	}
	for element, elementErr := range step.Elements() {
		if err = elementErr; err == nil {
			err = lines.Encode(element)
		}
		if err != nil {
			break
		}
	}
	return errors.Join(err, out.Flush())
}
