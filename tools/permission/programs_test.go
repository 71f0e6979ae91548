package permission

import "testing"

// TestXargs: what xargs puts into its command may be anything, where -I says and at its end.
func TestXargs(t *testing.T) {
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
}
