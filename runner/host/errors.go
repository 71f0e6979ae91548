package host

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/steps"
)

// invalidInputs is what is wrong with inputs; errors.As finds each [workflows.InputError] in it.
func invalidInputs(err error) error {
	return &steps.Error{Kind: steps.KindInvalidInput, Message: err.Error(), Err: err}
}

// configuration is a mistake in how the program is set up: a key, a model, a
// server.
func configuration(hint, format string, args ...any) error {
	return &steps.Error{Kind: steps.KindConfiguration, Message: fmt.Sprintf(format, args...), Hint: hint}
}
