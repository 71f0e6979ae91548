package term

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/columns"
)

// ciCommand finds what a CI system would obey.
var ciCommand = regexp.MustCompile(`(?m)^\s*::|##[a-zA-Z]*\[`)

// FuzzHarmlessJSON: no command is left, in whatever pieces the text comes, and it
// means the same.
func FuzzHarmlessJSON(f *testing.F) {
	for _, text := range []string{"##[error]x", "a ##vso[task.x]", "###teamcity[x", "# #[ ##a#[ ##a b[", "####[[", "plain", "\u009b31m \u202e \x7f \U000e0001 é😀", "\xff\x9b"} {
		f.Add(text, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		in, err := json.Marshal([][]string{{text}})
		if err != nil {
			t.Skip("no JSON: ", err)
		}
		var out bytes.Buffer
		u := &harmlessJSON{to: &out}
		for rest := append(in, '\n'); len(rest) > 0; {
			n := min(int(size)+1, len(rest))
			if _, err := u.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if found := ciCommand.Find(out.Bytes()); found != nil {
			t.Errorf("%q: %q is left", text, found)
		}
		if bytes.ContainsFunc(out.Bytes(), func(r rune) bool { return columns.Hidden(r) && r != '\n' }) {
			t.Errorf("%q: %q acts on a terminal", text, out.Bytes())
		}
		var before, after [][]string
		if json.Unmarshal(in, &before) != nil || json.Unmarshal(out.Bytes(), &after) != nil || after[0][0] != before[0][0] {
			t.Errorf("%s became %s", in, out.Bytes())
		}
	})
}
