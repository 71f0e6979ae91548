package steps

import (
	"strings"
	"testing"
)

// A result that is no JSON is told with how it begins: what a model or a command said.
func TestNotJSONTellsHowItBegins(t *testing.T) {
	for text, want := range map[string]string{
		"\nSure! Here it is:\n{}": `line 2: invalid character 'S' looking for beginning of value; it begins "Sure! Here it is:"`,
		"{\"a\": \x1b[31m":        `it begins "{\"a\": \x1b[31m"`,
		strings.Repeat("é", 81):   `; it begins "` + strings.Repeat("é", 79) + `…"`,
		strings.Repeat("é", 80):   `; it begins "` + strings.Repeat("é", 80) + `"`,
	} {
		_, err := decode(text, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "the result is not JSON: ") || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
