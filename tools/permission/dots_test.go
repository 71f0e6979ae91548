package permission

import "testing"

// TestDots: a dot in the name of a server's tool is read as _, in the call, in the list of tools, and
// in rules.
func TestDots(t *testing.T) {
	for _, test := range []struct {
		rule, listed, call string
		verdict            Verdict
		want               Verdict
	}{
		{"s_a.b", "s_a.b", "s_a.b", Allow, Allow},
		{"s_a_b", "s_a.b", "s_a.b", Allow, Allow},
		{"S_A.*", "s_*", "s_a_b", Deny, Deny},
		{"s_a.b", "s_*", "s_a.c", Allow, Deny},
		{"s_*", "s_*", "s_a.d", Allow, Deny}, // there is no such tool
		{"own.x", "own.x", "own.x", Allow, Deny},
	} {
		p, err := New(Config{
			Root: t.TempDir(), Tools: []string{test.listed}, Custom: []string{"own_x"}, MCP: []MCPTool{{"s", "a.b"}, {"s", "a_c"}},
			Domains: []Domain{{Layers: []Rules{{"*": {{"*", Allow}}, test.rule: {{"*", test.verdict}}, "s_a_c": {{"*", Deny}}}}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if d := p.Decide(Call{Tool: test.call}); d.Verdict != test.want {
			t.Errorf("%s is listed, %s: %s, call of %s: got %s (%s), want %s", test.listed, test.rule, test.verdict, test.call, d.Verdict, d.Reason, test.want)
		}
	}
}
