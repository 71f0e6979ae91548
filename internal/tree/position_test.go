package tree

import (
	"strings"
	"testing"
)

// TestPlaces looks for a mark in the text of a scalar, and for the same mark in
// the file: both must be at one position, however the scalar is written.
func TestPositions(t *testing.T) {
	tests := map[string]string{
		"plain":               "a: one @ two",
		"plain over lines":    "a: one\n  two\n  @ three",
		"plain, blank line":   "a: one\n\n\n  @ three",
		"single":              "a: 'it''s @ x'",
		"single over lines":   "a: 'it''s\n  more\n\n  @ x'",
		"double":              `a: "x\t\"\\\u00e9\x41\U0001F600\n @ y"`,
		"double over lines":   "a: \"one\n  two \\\n  three\n\n  @ four\"",
		"double, at once":     `a: "@"`,
		"literal":             "a: |\n  one\n   two\n\n  @ x\n",
		"literal, indented":   "a: |\n  one\n    @ x\n",
		"literal, number":     "a: |2\n    one\n  @ x\n",
		"literal, strip":      "a: |-\n\n\n  @ x",
		"folded":              "a: >\n  one\n  two\n\n  three\n  @ x\n",
		"folded, more":        "a: >-\n  one\n    more\n    @ x\n  two\n",
		"in flow":             "a: {b: [x, 'y @ z']}",
		"wide characters":     "a: éü😀 @ x",
		"after wide keys":     "\"é😀\": {é: \"ü @\"}",
		"anchor and tag":      "a: &x !!str one @",
		"list":                "- - - one @",
		"CRLF":                "a: |\r\n  one\r\n  @ x\r\n",
		"byte order mark":     "\ufeffa: x @",
		"document start":      "---\na: x @",
		"comment before":      "# @é\na: # x\n  one @",
		"tabs inside":         "a: \"x\ty\t@\"",
		"nested block":        "a:\n  - b: |\n      one\n      @ x\n",
		"blanks behind":       "a: one two @ three  \nb: 1",
		"blanks, over lines":  "a: one  \n  two \t \n  @ three  ",
		"blanks, in flow":     "a: [one,\n  three two @ x \n]",
		"blanks, at the end":  "- é one two @ three\t",
		"literal with spaces": "a: |\n  x  \n  @\n",
	}
	for what, text := range tests {
		t.Run(what, func(t *testing.T) {
			r := &Report{}
			src := NewSource("x", text)
			root := Read(src, []byte(text), WorkflowLimits(), r)
			if root == nil {
				t.Fatal(r.Diagnostics())
			}
			n := scalarWith(root, "@")
			if n == nil {
				t.Fatal("no scalar has the mark")
			}
			at := n.At(strings.Index(n.Text, "@"))
			if got := src.From(at.Line, at.Column); !strings.HasPrefix(got, "@") {
				t.Errorf("%d:%d is before %q in %q", at.Line, at.Column, got, text)
			}
		})
	}
}

// scalarWith gives the first value whose text has a mark.
func scalarWith(n *Node, mark string) *Node {
	if n.Kind != KindList && n.Kind != KindMap && strings.Contains(n.Text, mark) {
		return n
	}
	for _, item := range n.Items {
		if found := scalarWith(item, mark); found != nil {
			return found
		}
	}
	for _, e := range n.Entries {
		if found := scalarWith(e.Value, mark); found != nil {
			return found
		}
	}
	return nil
}
