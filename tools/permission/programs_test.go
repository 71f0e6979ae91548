package permission

import (
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/script"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// fields are the words of a command without quotes.
func fields(command string) (out []word.Word) {
	for _, text := range strings.Fields(command) {
		out = append(out, word.Of(text))
	}
	return out
}

// TestXargsWords: what xargs puts into its command may be anything, where -I says and
// at its end.
func TestXargsWords(t *testing.T) {
	p := build(t, newSandbox(t), Config{}, Rules{"bash": {{"xargs *", Allow}, {"env *", Allow}, {"grep x *", Allow}, {"git log *", Allow}, {"ls", Allow}, {"git push *", Deny}}})
	for command, want := range map[string]Verdict{
		"xargs grep x": Deny, "xargs -I {} grep x {}": Deny, "xargs -I{} git {} x": Deny, "xargs -I % git lo%": Deny, "xargs git log": Deny, "xargs ls": Deny,
		"xargs -n 1 rm": Deny, "xargs -a x git push": Deny, "xargs": Allow, "xargs -I {}": Allow, // they echo
		"env - ls": Deny, "timeout 5 -- ls": Deny,
	} {
		if got := p.Decide(bashCall(command)); got.Verdict != want {
			t.Errorf("%s: %v (%s), want %v", command, got.Verdict, got.Reason, want)
		}
	}
	for own, want := range map[string]string{"xargs": "grep x {}", "xargs -I {}": "grep x ?", "xargs -I{}": "grep x ?", "xargs -Ix": "grep ? {}", "xargs -I": "grep x {}"} {
		var texts []string
		for _, x := range script.XargsWords(fields(own), fields("grep x {}")) {
			switch x.Kind {
			case word.Static:
				texts = append(texts, x.Text)
			case word.Dynamic:
				texts = append(texts, "?")
			}
		}
		if got := strings.Join(texts, " "); got != want {
			t.Errorf("%s: %q, want %q", own, got, want)
		}
	}
}
