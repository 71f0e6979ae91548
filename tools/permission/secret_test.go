package permission

import "testing"

// TestSecretRules: a secret file is read where a rule names the whole of it, and
// asked for where one that asks does.
func TestSecretRules(t *testing.T) {
	m := newSandbox(t)
	for _, c := range []struct {
		rules []Rule
		path  string
		want  Verdict
	}{
		{only("**", Allow), ".env", Deny},
		{only("*", Allow), ".env", Deny},
		{only(".env*", Allow), ".env", Deny},
		{only(".env", Allow), ".env", Allow},
		{only("./.env", Allow), ".env", Allow},
		{only(".env", Allow), "docs/../.env", Allow},
		{only(".env", Ask), ".env", Ask},
		{only(".en?", Ask), ".env", Deny},
		{[]Rule{{".env", Allow}, {".env", Ask}}, ".env", Ask},
		{[]Rule{{".env", Allow}, {"**/.e*", Deny}}, ".env", Deny},
		{only("~/**", Allow), "~/.my.cnf", Deny},
		{only("~/**", Allow), "~/.ssh/work_key", Deny},
		{only("~/**", Allow), "~/.ssh/work_key.pub", Allow},
		{only("~/**", Allow), "~/.bash_history", Deny},
		{only("~/**", Allow), "~/.gnupg/secring.gpg", Deny},
		{only("~/.ssh/work_key", Allow), "~/.ssh/work_key", Allow},
	} {
		p := build(t, m, Config{}, Rules{"read": c.rules})
		if got := p.Decide(fileCall("read", c.path)); got.Verdict != c.want {
			t.Errorf("%v: %s: %v (%s), want %v", c.rules, c.path, got.Verdict, got.Reason, c.want)
		}
		if got := p.Readable(c.path); c.path[0] != '~' && got != (c.want == Allow) {
			t.Errorf("%v: %s is readable: %t", c.rules, c.path, got)
		}
	}
}
