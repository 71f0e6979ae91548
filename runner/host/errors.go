package host

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/steps"
)

// configuration is an error in the set-up of the program: a key, a model, a server.
func configuration(hint, format string, args ...any) error {
	return &steps.Error{Kind: steps.KindConfiguration, Message: fmt.Sprintf(format, args...), Hint: hint}
}
