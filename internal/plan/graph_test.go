package plan

import (
	"regexp"
	"strings"
	"testing"
)

// TestMermaidIsHarmless: whatever a name is, a label is its text, and each line is one statement.
func TestMermaidIsHarmless(t *testing.T) {
	statement := regexp.MustCompile(`^ *(n\d+\["[^"\[\]<>` + "`" + `{}()|\\]*(<br/>[^"\[\]<>` + "`" + `{}()|\\]*)*"\]|subgraph n\d+\["[^"\[\]<>]*(<br/>[^"\[\]<>]*)*"\]|end|n\d+ --> n\d+)$`)
	for _, evil := range []string{`"] --> x["`, "end", "a\nclick n1 href \"javascript:x\"", "</svg><script>x</script>", "%%{init: {}}%%", "`**md**`", "$$x$$", "#quot;#lt;", "\x1b[2J\u202e", "<br/>", "\\n", "日本 ä"} {
		p := &Plan{Steps: []*Step{
			{Step: evil, Kind: evil, Models: []Model{{Model: evil}}},
			{Step: "b", Kind: "steps", Needs: []string{evil}, Steps: []*Step{{Step: "b/" + evil, Kind: "run"}}},
		}}
		text := strings.TrimSuffix(p.Mermaid(), "\n")
		head, rest, _ := strings.Cut(text, "\n")
		if head != "flowchart TD" {
			t.Errorf("%q: it begins with %q", evil, head)
		}
		for line := range strings.SplitSeq(rest, "\n") {
			if !statement.MatchString(line) {
				t.Errorf("%q: %q is no statement", evil, line)
			}
		}
		if n := strings.Count(text, "\n"); n != 5 {
			t.Errorf("%q has %d lines:\n%s", evil, n, text)
		}
	}
}
