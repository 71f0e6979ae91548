package word

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
)

// decodeANSI returns the value of $'…', which ends at a NUL. ok is false when it has an
// escape that the decoder does not know, such as \cX.
func decodeANSI(text string) (value string, ok bool) {
	value, _, err := expand.Format(new(expand.Config), text, nil) // a nil Config is shared, and written to
	value, _, _ = strings.Cut(value, "\x00")
	return value, err == nil && !strings.Contains(text, `\c`) && !strings.Contains(text, `\x{`)
}
