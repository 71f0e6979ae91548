package wire

import (
	"encoding/json"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

func TestIsSet(t *testing.T) {
	for raw, want := range map[string]bool{"": false, " ": false, "null": false, ` null `: false, `""`: false, "{}": true, "0": true, `"x"`: true} {
		if got := IsSet(json.RawMessage(raw)); got != want {
			t.Errorf("%q: %v", raw, got)
		}
	}
}

func TestArgumentsObject(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"n":12345678901234567890}`: `{"n":12345678901234567890}`,
		``:                           `{}`,
		`[1]`:                        `{"invalid_json":"[1]"}`,
		`"<x>"`:                      `{"invalid_json":"\"<x>\""}`,
		`{"x`:                        `{"invalid_json":"{\"x"}`,
	} {
		if got := ArgumentsObject(providers.Block{Arguments: []byte(arguments)}); string(got) != want {
			t.Errorf("%s: sent %s, want %s", arguments, got, want)
		}
	}
}

func TestParameters(t *testing.T) {
	for schema, want := range map[string]string{"": `{"type":"object","properties":{}}`, `{"type":"object"}`: `{"type":"object"}`} {
		if got := Parameters(json.RawMessage(schema)); string(got) != want {
			t.Errorf("%q: %s", schema, got)
		}
	}
}
