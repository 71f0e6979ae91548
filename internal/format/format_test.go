package format_test

import (
	"fmt"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
)

type config struct {
	Name  string
	Tries int
}

func table() *format.Object[config] {
	return &format.Object[config]{
		Name: "config", What: "a configuration", Doc: "A configuration.",
		Fields: []format.Field[config]{
			format.Key("name", format.Text(), func(c *config) *string { return &c.Name }, "What it is called.").Must(),
			format.Key("tries", format.WholeNumber(1), func(c *config) *int { return &c.Tries }, "How often."),
		},
	}
}

// TestRead: a file is read by a table; of a misspelt key the value counts, and the key is told once.
func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"{name: x, tries: 2}":     "{x 2} ",
		"{naem: x}":               `{x 0} f:1:2: a configuration has no key "naem" (did you mean "name"?) [key]`,
		"{tries: 2}":              `{ 2} f:1:1: a configuration has no "name" (it is required: what it is called) [key]`,
		"{name: x, tries: 2k}":    `{x 0} f:1:18: a whole number was expected, not "2k" (write 2_000) [value]`,
		"{name: x, tries: 0}":     "{x 0} f:1:18: 0 is too small; the least is 1 [value]",
		"{name: '${{ x }}'}":      "{ 0} f:1:8: an expression can't stand here [expression]",
		"[name]":                  "{ 0} f:1:1: a configuration must be a map, not a list (its keys are name, tries) [value]",
		"{name: x, something: 1}": `{x 0} f:1:11: a configuration has no key "something" (its keys are name, tries) [key]`,
	} {
		report := &tree.Report{}
		root := tree.Read(tree.NewSource("f", text), []byte(text), tree.WorkflowLimits(), report)
		var c config
		table().Read(&format.Reader{Report: report}, root, &c)
		if got := fmt.Sprint(c, " ", report.Diagnostics()); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}
