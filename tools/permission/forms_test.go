package permission

import (
	"os"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// TestPatternForms: a path pattern may be written in several ways, and begin in a
// folder that is reached by a link.
func TestPatternForms(t *testing.T) {
	m := newSandbox(t)
	m.build(t, []fixtureFile{{Path: "/ws/sub/docs/b.md"}, {Path: "/outside/deep/x.txt"}})
	if err := os.Symlink(m.path("/outside"), m.path("/home/u/link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pattern string
		allowed []string
		denied  []string
	}{
		{"docs/a.md", []string{"docs/a.md", "./docs//a.md", "src/../docs/a.md"}, []string{"docs/A.md", "sub/docs/b.md", "docs/a.mdx"}},
		{"./docs//a.md", []string{"docs/a.md"}, []string{"src/main.go"}},
		{"docs/./", []string{"docs/a.md"}, []string{"sub/docs/b.md"}},
		{"**/docs/**", []string{"docs/a.md", "sub/docs/b.md"}, []string{"README.md"}},
		{"**/*.md", []string{"README.md", "sub/docs/b.md"}, []string{"src/main.go"}},
		{"*.md", []string{"README.md"}, []string{"docs/a.md"}},
		{"????.md", nil, []string{"README.md", "docs/a.md"}},
		{"docs/?.md", []string{"docs/a.md"}, []string{"docs/ab.md"}},
		{"/ws/docs/*", []string{"docs/a.md"}, []string{"README.md"}},
		{"//ws/docs/*", []string{"docs/a.md"}, nil},
		{"~/link/**", []string{"/outside/secret.txt", "~/link/deep/x.txt"}, []string{"~/.bashrc"}},
		{"/outside/*", []string{"/outside/secret.txt", "../outside/secret.txt"}, []string{"/outside/deep/x.txt", "/ws-evil/x.txt"}},
		{"/nowhere/at/all/**", nil, []string{"/outside/secret.txt", "README.md"}},
		{"**", []string{"README.md", "docs/a.md"}, []string{"/outside/secret.txt", "../ws-evil/x.txt"}},
	} {
		pattern := m.path(c.pattern)
		if strings.HasPrefix(c.pattern, "//") {
			pattern = "/" + m.path(c.pattern[1:])
		}
		p := build(t, m, Config{}, Rules{"read": only(pattern, Allow)})
		for _, path := range c.allowed {
			if got := p.Decide(fileCall("read", m.path(path))); got.Verdict != Allow {
				t.Errorf("%s: %s: %s", c.pattern, path, got.Reason)
			}
		}
		for _, path := range c.denied {
			if got := p.Decide(fileCall("read", m.path(path))); got.Verdict != Deny {
				t.Errorf("%s: %s is allowed: %s", c.pattern, path, got.Reason)
			}
		}
	}
}

// TestWithoutHome: nothing is known of ~ then.
func TestWithoutHome(t *testing.T) {
	m := newSandbox(t)
	if _, err := New(Config{Root: m.path("/ws"), Domains: []Domain{{Layers: []Rules{{"read": only("~/x", Allow)}}}}}); err == nil || !strings.Contains(err.Error(), "there is no home directory") {
		t.Errorf("a rule with ~: %v", err)
	}
	rules := Rules{"read": only("**", Allow), "bash": {{"cat *", Allow}, {"cd *", Allow}}}
	p, err := New(Config{Root: m.path("/ws"), Domains: []Domain{{Layers: []Rules{rules}}}})
	if err != nil {
		t.Fatal(err)
	}
	checkVerdict(t, "read ~/x", p.Decide(fileCall("read", "~/x")), "never")
	checkVerdict(t, "cat ~/x", p.Decide(bashCall("cat ~/x")), "never")
	checkVerdict(t, "cat docs/a.md", p.Decide(bashCall("cat docs/a.md")), "allow")
}

// TestCallDir: a call starts where it says, from the workspace.
func TestCallDir(t *testing.T) {
	m := newSandbox(t)
	p := build(t, m, Config{}, Rules{"read": only("docs/**", Allow), "bash": only("ls *", Allow)})
	for _, c := range []struct {
		dir, path string
		want      Verdict
	}{
		{"docs", "a.md", Allow}, {"docs", "../src/main.go", Deny}, {"", "docs/a.md", Allow}, {"docs/..", "a.md", Deny}, {"/ws/docs", "a.md", Allow}, {"/ws", "docs/a.md", Allow}, {"/ws/src", "a.md", Deny},
	} {
		call := fileCall("read", c.path)
		call.Dir = m.path(c.dir)
		if got := p.Decide(call); got.Verdict != c.want {
			t.Errorf("%s in %q: %v (%s), want %v", c.path, c.dir, got.Verdict, got.Reason, c.want)
		}
	}
	call := bashCall("ls a.md")
	call.Dir = m.path("/outside")
	checkVerdict(t, "a command outside", p.Decide(call), "never")
}

// TestCheckPath: what no rule can name is found before anything is judged.
func TestCheckPath(t *testing.T) {
	for path, why := range map[string]string{
		"/a/b": "", "a b": "", "é": "", "~x": "",
		"": "empty", "a\x01": "control character", "a\tb": "control character", "a\x7f": "control character", "a\u0085": "control character",
		"a\u200b": "invisible format character", "a\u202e": "invisible format character", "a\xff": "not UTF-8", strings.Repeat("a", paths.MaxPath+1): "longer than 4096",
	} {
		err := place.CheckPath(path)
		if (err == nil) != (why == "") || err != nil && !strings.Contains(err.Error(), why) {
			t.Errorf("%.20q: %v, want %q", path, err, why)
		}
	}
}

// TestFold: names that a file system may take for one are compared as one.
func TestFold(t *testing.T) {
	for _, same := range [][2]string{{"README.md", "readme.MD"}, {"Ünïx", "üNÏX"}, {"e\u0301", "é"}, {"ſ", "s"}, {"K", "k"}, {"ΣΑΣ", "σας"}} {
		if a, b := pattern.Fold(same[0]), pattern.Fold(same[1]); a != b {
			t.Errorf("%q and %q: %q and %q", same[0], same[1], a, b)
		}
	}
	for _, apart := range [][2]string{{"a", "b"}, {"a.b", "a/b"}, {"é", "e"}} {
		if pattern.Fold(apart[0]) == pattern.Fold(apart[1]) {
			t.Errorf("%q and %q are one", apart[0], apart[1])
		}
	}
}
