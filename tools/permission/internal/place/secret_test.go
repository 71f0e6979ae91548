package place

import "testing"

func TestIsSecret(t *testing.T) {
	for path, want := range map[string]bool{
		"/ws/.env": true, "/ws/.ENV": true, "/ws/a/.env.local": true, "/ws/.env.example": false, "/ws/.Env.Sample": false, "/ws/.env.template": false,
		"/ws/.env.example.bak": true, "/ws/.envrc": true, "/ws/env": false, "/ws/x.env": true, "/ws/.env/x": false,
		"/home/u/.netrc": true, "/home/u/.npmrc": true, "/home/u/.pypirc": true, "/home/u/.git-credentials": true, "/home/u/.netrc.bak": false,
		"/ws/.git/config": true, "/ws/a/.GIT/Config": true, "/ws/x.git/config": false, "/ws/.git/x/config": false, "/ws/.git/modules/a/b/config": true, "/ws/.git/config.worktree": true, "/ws/.git/worktrees/x/config.worktree": true, "/home/u/.aws/credentials": true, "/home/u/.kube/config": true, "/home/u/.docker/config.json": true, "/home/u/.config/gh/hosts.yml": true, "/x/id_ecdsa": true, "/x/id_ecdsa.pub": false, "/ws/terraform.tfstate": true, "/run/secrets/token": true, "/ws/run/secrets/x": false, "/home/u/.m2/settings.xml": true, "/ws/settings.xml": false, "/home/u/.cargo/credentials.toml": true, "/x/k.p12": true, ".git/config": true, "config": false, "/config": false,
		"/x/id_rsa": true, "/x/ID_ED25519": true, "/x/id_rsa.pub": false, "/x/a.pem": true, "/x/.pem": true, "/x/A.KEY": true, "/x/a.key.txt": false, "/x/key": false, "": false,
	} {
		if got := IsSecret(path); got != want {
			t.Errorf("%q: %t, want %t", path, got, want)
		}
	}
}
