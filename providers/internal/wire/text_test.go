package wire

import (
	"encoding/json"
	"testing"
)

// TestReadText compares with the decoder, inside of which it is called.
func TestReadText(t *testing.T) {
	for _, data := range []string{`""`, `"a"`, `"a b é"`, `"a\nb"`, `"\u00e9\ud83d\ude42"`, "\"\xff\"", `null`, `"\\"`} {
		got, want := "before", "before"
		if err := ReadText([]byte(data), &got); err != nil {
			t.Errorf("%s: %v", data, err)
		}
		if err := json.Unmarshal([]byte(data), &want); err != nil || got != want {
			t.Errorf("%s: %q, want %q, %v", data, got, want, err)
		}
	}
	var text string
	for _, data := range []string{`{}`, `1`, `["a"]`} {
		if ReadText([]byte(data), &text) == nil {
			t.Errorf("%s: read as %q", data, text)
		}
	}
}
