package report

import (
	"encoding/json"
	"io"
)

// Encoder returns what writes values as JSON, with <, > and & as they are: each on a line, or
// on many lines that are indented so.
func Encoder(to io.Writer, indent string) *json.Encoder {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	return encoder
}
