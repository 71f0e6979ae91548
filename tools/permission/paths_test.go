package permission

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/address"
)

func TestReadPaths(t *testing.T) {
	m := newSandbox(t)
	m.build(t, []fixtureFile{
		{Path: "/ws/sub/.env.local", File: "x"}, {Path: "/ws/.env.example", File: "x"}, {Path: "/ws/key.pem", File: "x"},
		{Path: "/ws/safe.txt", Symlink: ".env"}, {Path: "/ws/proc", Symlink: "/proc"}, {Path: "/ws/loop", Symlink: "loop"},
		{Path: "/ws/up", Symlink: "docs/../.."}, {Path: "/ws/pipe", Fifo: true}, {Path: "/ws/in", Symlink: "docs/a.md"},
	})
	p := build(t, m, Config{}, Rules{"read": {{"*", Allow}, {"docs/no*", Deny}, {"docs/maybe", Ask}, {"key.pem", Allow}, {m.path("/outside/*"), Allow}}})
	for path, want := range map[string]string{
		"README.md": "allow", "./README.md": "allow", "docs/../README.md": "allow", "in": "allow", "docs/absent": "allow",
		"docs/none": "deny", "DOCS/NONE": "deny", "docs/maybe": "ask", "docs//maybe": "ask", "absent/../docs/none": "never",
		".env": "deny", "sub/.env.local": "deny", ".env.example": "allow", "key.pem": "allow", "other.pem": "deny", "safe.txt": "deny",
		".git/config": "deny", "~/.bashrc": "deny", "~": "never", "~root": "never", "/outside/secret.txt": "allow", "/outside/a/b": "deny",
		"proc/self/environ": "never", "loop": "never", "up/outside/secret.txt": "allow", "up/ws-evil/x.txt": "deny", "pipe": "never",
		"docs": "never", "README.md/x": "never", "a\nb": "never", "a\u200bb": "never", "/dev/null": "never",
		strings.Repeat("a/", 2100): "never", "nope/..": "never",
	} {
		got := p.Decide(fileCall("read", m.path(path)))
		if got.Verdict.String() != strings.Replace(want, "never", "deny", 1) || got.Never != (want == "never") {
			t.Errorf("%q: got %v (never %t, %s), want %s", path, got.Verdict, got.Never, got.Reason, want)
		}
		if p.Readable(m.path(path)) != (want == "allow") && !strings.HasPrefix(path, "~") {
			t.Errorf("%q: readable is not %s", path, want)
		}
	}
}

func TestWritePaths(t *testing.T) {
	m := newSandbox(t)
	m.build(t, []fixtureFile{
		{Path: "/ws/sub/flow.yaml", File: "x"}, {Path: "/ws/hard", Hardlink: "/ws/README.md"}, {Path: "/ws/other.yaml", Symlink: "flow.yaml"},
		{Path: "/ws/git", Symlink: ".git"},
	})
	p := build(t, m, Config{}, Rules{"write": {{"**", Allow}, {".github/**", Allow}, {".x*", Allow}, {"docs/.?", Allow}, {"src/", Deny}}})
	for path, want := range map[string]string{
		"x": "allow", "docs/x": "allow", "new/dir/x": "allow", ".github/x": "allow", ".xy": "deny", "docs/.a": "deny", ".github/.x": "deny",
		"src/x": "deny", "SRC/x": "deny", "flow.yaml": "never", "sub/flow.yaml": "allow", "hard": "never", "other.yaml": "never",
		"git/x": "never", "sub/.git/x": "never", "a/.GIT/x": "never", ".flow/x": "never", "git~1/x": "never", "a\\b": "never", "x/": "never",
		"x.": "never", "x /y": "never", "docs": "never", "./x": "allow", "/outside/x": "deny", "..": "never", "x..y": "allow",
	} {
		got := p.Decide(fileCall("write", m.path(path)))
		if got.Verdict.String() != strings.Replace(want, "never", "deny", 1) || got.Never != (want == "never") {
			t.Errorf("%q: got %v (never %t, %s), want %s", path, got.Verdict, got.Never, got.Reason, want)
		}
	}
}

// TestDecisionPath checks that a tool is told where to act.
func TestDecisionPath(t *testing.T) {
	m := newSandbox(t)
	m.build(t, []fixtureFile{{Path: "/ws/link", Symlink: "docs"}})
	p := build(t, m, Config{}, Rules{"write": only("docs/**", Allow), "webfetch": only("https://a.example/**", Allow)})
	if got, want := p.Decide(fileCall("write", "link/x")).Path, m.path("/ws/docs/x"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got := p.Decide(Call{Tool: "webfetch", Input: []byte(`{"url": "HTTPS://A.example.:443/x/../%79?q#f"}`)})
	if got.Path != "https://a.example/y?q" || got.Verdict != Allow {
		t.Errorf("got %q %v", got.Path, got.Verdict)
	}
}

func TestReadableRoots(t *testing.T) {
	m := newSandbox(t)
	m.build(t, []fixtureFile{
		{Path: "/ws/.flow/run/outputs/1.txt", File: "x"}, {Path: "/ws/.flow/run/outputs/out", Symlink: "/outside/secret.txt"},
	})
	c := Config{Readable: []string{m.path("/ws/.flow/run/outputs")}}
	p := build(t, m, c, Rules{"read": only("docs/**", Allow)})
	file, dir := ".flow/run/outputs/1.txt", `{"path": ".flow/run/outputs"}`
	for _, call := range []Call{fileCall("read", file), fileCall("grep", file), {Tool: "grep", Input: []byte(dir)}} {
		if got := p.Decide(call); got.Verdict != Allow {
			t.Errorf("%s %s: got %v (%s)", call.Tool, call.Input, got.Verdict, got.Reason)
		}
	}
	for _, call := range []Call{
		fileCall("read", ".flow/run/outputs/out"), fileCall("read", ".flow/run/x"), {Tool: "list", Input: []byte(dir)}, fileCall("write", file),
	} {
		if got := p.Decide(call); got.Verdict != Deny {
			t.Errorf("%s %s: got %v", call.Tool, call.Input, got.Verdict)
		}
	}
	if !p.Readable(file) || p.Readable(".flow/run/outputs/out") {
		t.Error("Readable does not end at the folder")
	}
}

func TestDirectories(t *testing.T) {
	m := newSandbox(t)
	for _, c := range []struct {
		rules []Rule
		dir   string
		want  Verdict
	}{
		{only("docs/**", Allow), "docs", Allow},
		{only("docs/**", Allow), "src", Deny},
		{only("docs/**", Allow), ".", Deny},
		{only("docs/*.md", Allow), "docs", Allow},
		{only("**/*.md", Allow), ".", Allow},
		{only("*.md", Allow), "docs", Deny},
		{only("docs/**", Deny), "docs", Deny},
		{only("docs/a.md", Deny), "docs", Allow},
		{only("docs", Deny), "docs", Deny},
		{only("docs/**", Ask), "docs", Ask},
		{only("/outside/*", Allow), "../outside", Allow},
	} {
		p := build(t, m, Config{}, Rules{"read": {{m.path(c.rules[0].Pattern), c.rules[0].Verdict}}})
		for _, tool := range []string{"list", "glob", "grep"} {
			if got := p.Decide(fileCall(tool, c.dir)); got.Verdict != c.want {
				t.Errorf("%v: %s %s: got %v (%s), want %v", c.rules, tool, c.dir, got.Verdict, got.Reason, c.want)
			}
		}
	}
}

// TestLinkedRoot checks that a workspace may be named through a link.
func TestLinkedRoot(t *testing.T) {
	m := newSandbox(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(m.path("/ws"), link); err != nil {
		t.Fatal(err)
	}
	p, err := New(Config{Root: link, Domains: []Domain{{Layers: []Rules{{
		"write": {{"docs/**", Allow}, {link + "/src/*", Allow}, {"docs/secret", Deny}},
	}}}}})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]Verdict{
		"a.md": Allow, link + "/docs/b": Allow, m.path("/ws/docs/b"): Allow, link + "/src/b": Allow, "secret": Deny, link + "/docs/secret": Deny,
		link + "/flow.yaml": Deny,
	} {
		call := fileCall("write", path)
		call.Dir = link + "/docs"
		if got := p.Decide(call); got.Verdict != want {
			t.Errorf("%s: got %v (%s), want %v", path, got.Verdict, got.Reason, want)
		}
	}
}

func TestURLs(t *testing.T) {
	rules := Rules{"webfetch": {
		{"*", Allow}, {"http://plain.example:8080/a/*", Allow}, {"domain:one.example", Ask}, {"https://*.bad.example/**", Deny},
		{"http://127.0.0.1/**", Allow}, {"https://[::1]/**", Allow}, {"http://localhost/**", Allow}, {"https://p.example/**/x", Deny},
	}}
	p := build(t, newSandbox(t), Config{}, rules)
	for url, want := range map[string]string{
		"https://any.example": "allow", "https://any.example/x?y=%2f": "allow", "https://any.example:444/": "deny", "http://any.example/": "deny",
		"https://dotless/": "deny", "http://plain.example:8080/a/b": "allow", "http://plain.example:8080/a/b/c": "deny", "http://plain.example/a/b": "deny",
		"https://one.example/x": "ask", "https://x.bad.example/": "deny", "https://bad.example/": "allow", "https://X.BAD.example./": "deny",
		"http://127.0.0.1/": "allow", "https://127.0.0.1/": "deny", "https://[::1]/": "allow", "https://[0::1]/": "never", "http://localhost/": "allow",
		"https://localhost/": "deny", "https://p.example/x": "deny", "https://p.example/a/b/x": "deny", "https://p.example/xx": "allow",
		"": "never", "any.example": "never", "ftp://any.example/": "never", "https:any.example": "never", "https:///x": "never", "https://": "never",
		"https://u@any.example/": "never", "https://any.example:/": "never", "https://any.example:0/": "never", "https://any.example:99999/": "never",
		"https://any.example:0443/": "never", "https://any.example:x/": "never", "https://any.example:443x/": "never", "https://an%79.example/": "never",
		"https://any.example/%2F": "never", "https://any.example/%5c": "never", "https://any.example/%00": "never", "https://any.example/%zz": "never",
		"https://any.example/%2": "never", "https://any.example/a b": "never", "https://any.example/\\": "never", "https://any.example/\u200b": "never",
		"https://1.2.3": "never", "https://0x7f.1/": "never", "https://017700000001/": "never", "https://127.0.0.01/": "never", "https://1.2.3.4./": "never",
		"https://１２７.0.0.1/": "never", "https://169.254.1.1/": "never", "https://[fe80::1]/": "never", "https://[fe80::1%25eth0]/": "never",
		"https://[::ffff:1.2.3.4]/": "never", "https://100.100.100.200/": "never", "https://0.0.0.0/": "never", "https://[::]/": "never",
		"https://[fd00:ec2::254]/": "never", "https://metadata.google.internal/": "never", "https://METADATA.google.internal./": "never",
		"https://a..example/": "never", "https://.example/": "never", "https://-a!.example/": "never", "https://any.example#x": "allow", "https://[::1/": "never",
	} {
		input := `{"url": ` + quoteJSON(url) + `}`
		got := p.Decide(Call{Tool: "webfetch", Input: []byte(input)})
		if got.Verdict.String() != strings.Replace(want, "never", "deny", 1) || got.Never != (want == "never") {
			t.Errorf("%q: got %v (never %t, %s), want %s", url, got.Verdict, got.Never, got.Reason, want)
		}
	}
}

func quoteJSON(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func TestAddresses(t *testing.T) {
	for text, public := range map[string]bool{
		"8.8.8.8": true, "203.0.113.9": true, "2606:4700::1111": true, "127.0.0.1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.0.1": false,
		"169.254.169.254": false, "100.64.0.1": false, "100.128.0.1": true, "192.0.0.1": false, "198.19.0.1": false, "240.0.0.1": false,
		"255.255.255.255": false, "0.1.2.3": false, "224.0.0.1": false, "::1": false, "::": false, "fc00::1": false, "fe80::1": false, "ff02::1": false,
		"::ffff:8.8.8.8": false, "64:ff9b::7f00:1": false, "64:ff9b::808:808": true, "2002:7f00:1::": false, "::7f00:1": false, "fe80::1%eth0": false,
		"fd00:ec2::254": false, "64:ff9b:1::7f00:1": false, "64:ff9b::a00:1": false, "::ffff:0:127.0.0.1": false, "2001::1": false, "2001:db8::1": false,
		"fec0::1": false, "100::1": false, "2001:4860:4860::8888": true,
	} {
		addr := netip.MustParseAddr(text)
		if got := address.IsPublic(addr); got != public {
			t.Errorf("%s: public %t, want %t", text, got, public)
		}
		if got := DialAllowed("a.example", addr); got != public {
			t.Errorf("%s: dialled for a name %t, want %t", text, got, public)
		}
	}
	for _, c := range []struct {
		host, addr string
		want       bool
	}{
		{"localhost", "127.0.0.1", true}, {"localhost", "::1", true}, {"localhost", "10.0.0.1", false}, {"10.0.0.1", "10.0.0.1", true},
		{"10.0.0.1", "10.0.0.2", false}, {"169.254.169.254", "169.254.169.254", false}, {"::1", "::1", true}, {"a.localhost", "127.0.0.1", false},
	} {
		if got := DialAllowed(c.host, netip.MustParseAddr(c.addr)); got != c.want {
			t.Errorf("%s at %s: %t, want %t", c.host, c.addr, got, c.want)
		}
	}
	if address.IsPublic(netip.Addr{}) {
		t.Error("no address is public")
	}
}

// TestLinksThemselves checks that a command which takes a name away is judged by
// where the link is, not by where it leads.
func TestLinksThemselves(t *testing.T) {
	m := newSandbox(t)
	m.build(t, []fixtureFile{{Path: "/ws/out", Symlink: "docs"}, {Path: "/ws/file", Symlink: "docs/a.md"}, {Path: "/ws/docs/in", Symlink: "a.md"}})
	p := build(t, m, Config{}, Rules{"bash": only("*", Allow), "write": only("docs/**", Allow)})
	for command, want := range map[string]Verdict{
		"rm out": Deny, "rm file": Deny, "rm docs/in": Allow, "rm ./docs/../file": Deny, "unlink file": Deny, "mv file docs/x": Deny, "mv docs/in docs/x": Allow,
		"ln -sf a.md file": Deny, "install README.md file": Deny, "cp README.md file": Allow, "touch file": Allow, "echo x > file": Allow, "rm out/in": Allow,
		"cd docs && rm ../file": Deny,
	} {
		if got := p.Decide(bashCall(command)); got.Verdict != want {
			t.Errorf("%s: got %v (%s), want %v", command, got.Verdict, got.Reason, want)
		}
	}
}

// TestGlobsThroughLinks checks that a glob is followed through the links that
// it becomes.
func TestGlobsThroughLinks(t *testing.T) {
	m := newSandbox(t)
	m.build(t, []fixtureFile{
		{Path: "/ws/secrets/k", File: "x"}, {Path: "/ws/docs/s", Symlink: "../secrets"}, {Path: "/ws/docs/e", Symlink: "../.env"}, {Path: "/ws/docs/r", Symlink: "../README.md"},
		{Path: "/ws/keys/a.pem", File: "x"}, {Path: "/ws/l", Symlink: "docs"}, {Path: "/ws/docs/out", Symlink: "/outside"},
	})
	p := build(t, m, Config{}, Rules{"bash": {{"cat *", Allow}, {"shopt *", Allow}}, "read": {{"*", Allow}, {"secrets/**", Deny}, {m.path("/outside/**"), Deny}}})
	for command, want := range map[string]Verdict{
		"cat docs/s*/k": Deny, "cat docs/?/k": Deny, "cat docs/[s]/k": Deny, "cat */s/k": Deny, "cat l/*/k": Deny, "cat docs/e*": Deny, "cat docs/o*/secret.txt": Deny,
		"cat l/../docs/s*/k": Deny, "cd docs && cat s*/k": Deny, "cat docs/s*/*": Deny,
		"cat docs/r*": Allow, "cat docs/a*": Allow, "cat l/a*": Allow, "cat docs/*.md": Allow, "cat src/*": Allow,
		"cat keys/*": Deny, "cat keys/a*": Deny, "cat k*/a*": Deny, "cat keys/*.p*": Deny, "cat *.pem": Deny, "cat src/ma*": Allow, "cat READ*": Allow, "cat *.md": Allow,
		"cat .e*": Deny, "cat keys/b*": Allow, "cat keys/[a]*": Deny, "cd keys; cat a*": Deny,
		"shopt -s globstar; cat docs/**/x": Deny,
	} {
		if got := p.Decide(bashCall(command)); got.Verdict != want {
			t.Errorf("%s: got %v (%s), want %v", command, got.Verdict, got.Reason, want)
		}
	}
}
