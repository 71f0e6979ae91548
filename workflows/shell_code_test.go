package workflows

import (
	"os"
	"strings"
	"testing"
)

// TestModelTextAsCode holds testdata/shell/code.txt to what validate says: § is a text
// of a model, a script in the part "code" gets an error or a warning, one in the part
// "words" none. Lines that begin with \ go on the one before.
func TestModelTextAsCode(t *testing.T) {
	data, err := os.ReadFile("testdata/shell/code.txt")
	if err != nil {
		t.Fatal(err)
	}
	asCode := false
	text := strings.ReplaceAll(string(data), "\n\\", "\x00")
	for line := range strings.Lines(text) {
		script := strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\x00", "\n")
		switch {
		case script == "code:" || script == "words:":
			asCode = script == "code:"
			continue
		case script == "" || strings.HasPrefix(script, "# "):
			continue
		}
		script = strings.ReplaceAll(script, "§", "${{ steps.a.text }}")
		_, ds := Parse("x.yaml", []byte("name: x\nmodel: openai/m\nsteps:\n  - {id: a, prompt: x}\n  - run: |-\n      "+strings.ReplaceAll(script, "\n", "\n      ")+"\n"), Options{})
		if asCode != contains(ds, "stands") {
			t.Errorf("code is %v, and validate says %v of\n%s", asCode, ds, script)
		}
	}
}
