package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"

	"github.com/a-seed-11b9befa/flow/runner"
)

// Encoder returns an encoder that does not escape <, > and &. An empty indent writes each value
// on one line.
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
