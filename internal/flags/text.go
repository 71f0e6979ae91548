package flags

import (
	"errors"

	"github.com/spf13/pflag"
)

// Text returns the value of a flag that takes a text, such as a path or a name. An empty text is a
// mistake: it mostly comes from a variable of the shell that is not set.
func Text(into *string) pflag.Value {
	return Of(into, "string", "", func(text string) (string, error) { return text, NotEmpty(text) })
}

// NotEmpty returns an error for an empty text.
func NotEmpty(text string) error {
	if text == "" {
		return errors.New("the value is empty")
	}
	return nil
}
