package permission

import (
	"encoding/json"
	"os"
	"testing"
)

// TestBareRepository checks that git does not run where a model may have written
// a repository with a config of its own.
func TestBareRepository(t *testing.T) {
	m := newSandbox(t)
	for _, dir := range []string{"/ws/docs/repo/objects", "/ws/docs/repo/refs", "/ws/docs/repo/sub"} {
		if err := os.MkdirAll(m.path(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(m.path("/ws/docs/repo/HEAD"), []byte("ref: refs/heads/x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	rules := Rules{"bash": {{"*", Allow}}, "write": {{"**", Allow}}}
	p, err := New(Config{Root: m.path("/ws"), Home: m.path("/home/u"), Domains: []Domain{{Layers: []Rules{rules}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command, workdir string
		want             Verdict
	}{
		{"git status", "", Allow},
		{"git status", "docs", Allow},
		{"git status", "docs/repo", Deny},
		{"cd docs/repo && git status", "", Deny},
		{"cd docs/repo/sub && timeout 5 git log", "", Deny},
		{"cd docs/repo; git status", "", Deny},
		{"cd docs && git status", "", Allow},
		{"cd docs && env git status", "docs/repo", Deny},
		{"cd docs/repo && /usr/bin/git status", "", Deny},
		{"cd docs/repo && ls", "", Allow},
		{"mkdir -p docs/n/objects docs/n/refs; touch docs/n/HEAD; cd docs/n && git status", "", Deny},
		{"mkdir docs/n; cd docs/n; touch HEAD; mkdir objects refs; git status", "", Deny},
		{"touch docs/x; cd docs && git add x", "", Allow},
	} {
		input, err := json.Marshal(map[string]string{"command": c.command, "workdir": c.workdir})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Decide(Call{Tool: "bash", Input: input}); got.Verdict != c.want {
			t.Errorf("%q in %q: got %v (%s), want %v", c.command, c.workdir, got.Verdict, got.Reason, c.want)
		}
	}
}

// TestMakesBare: the last part of what git takes for a repository is not written,
// in whatever order they come, while single files with such names are.
func TestMakesBare(t *testing.T) {
	m := newSandbox(t)
	m.build(t, []fixtureFile{
		{Path: "/ws/docs/a/HEAD"}, {Path: "/ws/docs/a/objects/x"}, {Path: "/ws/docs/b/refs/x"}, {Path: "/ws/docs/b/objects/x"}, {Path: "/ws/docs/c/HEAD"}, {Path: "/ws/docs/c/refs/x"},
		{Path: "/ws/docs/e/commondir"}, {Path: "/ws/docs/f/HEAD"}, {Path: "/ws/docs/f/refs/x"}, {Path: "/ws/docs/f/objects/x"},
	})
	p := build(t, m, Config{}, Rules{"write": only("docs/**", Allow), "bash": only("*", Allow)})
	for path, want := range map[string]Verdict{
		"docs/a/refs/x": Deny, "docs/a/refs/heads/main": Deny, "docs/a/REFS/x": Deny, "docs/b/HEAD": Deny, "docs/c/objects/info/x": Deny,
		"docs/HEAD": Deny, "docs/refs/x": Allow, "docs/a/config": Deny, "docs/d/config": Allow, "docs/d/objects/x": Allow,
		"docs/a/commondir": Deny, "docs/e/HEAD": Deny, "docs/e/refs/x": Allow, "docs/commondir": Allow,
		"docs/f/config": Deny, "docs/f/hooks/update": Deny, "docs/f/config.md": Allow,
	} {
		if got := p.Decide(fileCall("write", path)); got.Verdict != want {
			t.Errorf("write %s: got %v (%s), want %v", path, got.Verdict, got.Reason, want)
		}
		if got := p.Decide(bashCall("echo x > " + path)); got.Verdict != want {
			t.Errorf("> %s: got %v (%s), want %v", path, got.Verdict, got.Reason, want)
		}
	}
}
