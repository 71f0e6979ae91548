package permission

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

func TestIsSecret(t *testing.T) {
	for path, want := range map[string]bool{
		"/ws/.env": true, "/ws/.ENV": true, "/ws/a/.env.local": true, "/ws/.env.example": false, "/ws/.Env.Sample": false, "/ws/.env.template": false,
		"/ws/.env.example.bak": true, "/ws/.envrc": true, "/ws/env": false, "/ws/x.env": true, "/ws/.env/x": false,
		"/home/u/.netrc": true, "/home/u/.npmrc": true, "/home/u/.pypirc": true, "/home/u/.git-credentials": true, "/home/u/.netrc.bak": false,
		"/ws/.git/config": true, "/ws/a/.GIT/Config": true, "/ws/x.git/config": false, "/ws/.git/x/config": false, "/ws/.git/modules/a/b/config": true, "/ws/.git/config.worktree": true, "/ws/.git/worktrees/x/config.worktree": true, "/home/u/.aws/credentials": true, "/home/u/.kube/config": true, "/home/u/.docker/config.json": true, "/home/u/.config/gh/hosts.yml": true, "/x/id_ecdsa": true, "/x/id_ecdsa.pub": false, "/ws/terraform.tfstate": true, "/run/secrets/token": true, "/ws/run/secrets/x": false, "/home/u/.m2/settings.xml": true, "/ws/settings.xml": false, "/home/u/.cargo/credentials.toml": true, "/x/k.p12": true, ".git/config": true, "config": false, "/config": false,
		"/x/id_rsa": true, "/x/ID_ED25519": true, "/x/id_rsa.pub": false, "/x/a.pem": true, "/x/.pem": true, "/x/A.KEY": true, "/x/a.key.txt": false, "/x/key": false, "": false,
	} {
		if got := place.IsSecret(path); got != want {
			t.Errorf("%q: %t, want %t", path, got, want)
		}
	}
}

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
	} {
		p := build(t, m, Config{}, Rules{"read": c.rules})
		if got := p.Decide(fileCall("read", c.path)); got.Verdict != c.want {
			t.Errorf("%v: %s: %v (%s), want %v", c.rules, c.path, got.Verdict, got.Reason, c.want)
		}
		if got := p.Readable(c.path); got != (c.want == Allow) {
			t.Errorf("%v: %s is readable: %t", c.rules, c.path, got)
		}
	}
}

// TestSecretsFound: the patterns find what the names say, for words that are not
// known whole.
func TestSecretsFound(t *testing.T) {
	patterns := place.SecretPatterns(nil)
	for _, path := range []string{"/ws/.env", "/ws/.env.local", "/x/.netrc", "/ws/.git/config", "/x/id_rsa", "/x/a.pem", "/x/a.key"} {
		found := false
		for _, atoms := range patterns {
			found = found || pattern.OverlapPlain(pattern.Literals(path), atoms)
		}
		if !found || !place.IsSecret(path) {
			t.Errorf("%s: found %t, secret %t", path, found, place.IsSecret(path))
		}
	}
}
