package host

import (
	"path/filepath"
	"testing"
)

// Tools that are withheld are looked for up to a bound, and each no more once it is told.
func TestWithheldToolsAreLookedForUpToABound(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "flow.yaml"), "name: top\nsteps: [{uses: part.yaml}]\n")
	write(t, filepath.Join(dir, "part.yaml"), `
name: part
permissions: {write: {"a/**": allow}, bash: allow}
steps:
  - {model: openai/gpt-5, tools: [write], prompt: hi}
  - {model: openai/gpt-5, tools: [write], prompt: hi, permissions: {write: {"a/b/**": allow}}}
  - {model: openai/gpt-5, tools: [bash], prompt: hi}
`)
	l, found := Load(filepath.Join(dir, "flow.yaml"), LoadOptions{Environment: with(nil)})
	if l == nil {
		t.Fatal(found)
	}
	for left := range 3 {
		c := ruleChecker{env: l.env, root: dir, looked: mostLooks - left, byOwn: map[listedTool]bool{}}
		if c.checkWithheld(l.all); len(c.found) != left {
			t.Errorf("with %d looks left: %d warnings: %v", left, len(c.found), c.found)
		}
	}
}
