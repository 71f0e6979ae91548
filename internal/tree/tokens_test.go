package tree

import (
	"strings"
	"testing"
)

// TestLimits goes to the edge of what a file may hold and one beyond.
func TestLimits(t *testing.T) {
	workflow, script := WorkflowLimits(), ScriptLimits()
	list := func(values int) string { return "[" + strings.Repeat("1,", values-2) + "1]" }
	tests := []struct {
		what, text string
		most       Limits
		want       string // "" when all is well
	}{
		{"bytes", "# " + strings.Repeat("x", MaxFileBytes-5) + "\n1\n", workflow, ""},
		{"too many bytes", "# " + strings.Repeat("x", MaxFileBytes) + "\n1\n", workflow, "the most is 1,048,576"},
		{"bytes of a script", "a: |\n" + strings.Repeat(" x\n", 2<<20), script, ""},
		{"values", list(workflow.values), workflow, ""},
		{"too many values", list(workflow.values + 1), workflow, "more than 100,000 values"},
		{"values of a script", list(2 * workflow.values), script, ""},
		{"tokens", strings.Repeat("- !!str x\n", 2*workflow.values/3), Limits{bytes: 16 << 20, values: 1000}, "more than 1,000 values"},
		{"depth", strings.Repeat("[", maxDepth-1) + strings.Repeat("]", maxDepth-1), workflow, ""},
		{"too deep", strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1), workflow, "more than 1,000 levels"},
		{"too deep after a block", "a: |\n  x\nb:\n" + strings.Repeat(" -", maxDepth+1) + " x\n", workflow, "more than 1,000 levels"},
		{"too deep after a folded block with a comment", "a: > # why\n  x\nb:\n" + strings.Repeat(" -", maxDepth+1) + " x\n", workflow, "more than 1,000 levels"},
		{"keys", strings.Repeat("a: 1\n", maxKeys), workflow, ""},
		{"too many keys", strings.Repeat("a: 1\n", maxKeys+1), workflow, "more than 10,000 keys"},
		{"too many keys among comments", strings.Repeat("  a: 1\n#\n", maxKeys+1), workflow, "more than 10,000 keys"},
		{"keys of many turns", "steps:\n  a:\n" + strings.Repeat("    - thinking: hm\n      calls: [{name: write, arguments: {content: \"a line of the text that goes on and on\"}}]\n", 10_000), script, ""},
		{"keys of many maps", strings.Repeat("- {"+strings.Repeat("a: 1, ", 8000)+"}\n", 7), Limits{bytes: 1 << 20, values: 100_000}, "too many keys"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			r := &Report{}
			root := Read(NewSource("x", tt.text), []byte(tt.text), tt.most, r)
			said := r.Diagnostics().Error()
			if tt.want == "" && root == nil || tt.want != "" && !strings.Contains(said, tt.want) {
				t.Errorf("got %.200q, want %q", said, tt.want)
			}
			if tt.want == "too many keys" && root != nil {
				t.Error("the file was read all the same")
			}
		})
	}
}
