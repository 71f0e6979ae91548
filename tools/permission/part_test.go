package permission

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestPart: what a step may do in its part of the workspace, by rules that start at
// the whole of it.
func TestPart(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"web/src", "web/secret", "docs"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write := func(rules ...Rule) Rules { return Rules{"write": rules} }
	bash := func(command string) Rules {
		return Rules{"bash": {{command, Allow}}, "write": {{"*", Allow}}}
	}
	for _, c := range []struct {
		name  string
		rules Rules
		tool  string
		about string
		want  Verdict
	}{
		{"read in it", nil, "read", "x", Allow},
		{"read beside it", nil, "read", "../docs/x", Deny},
		{"read by the whole path", nil, "read", filepath.Join(root, "x"), Deny},
		{"write all", write(Rule{"*", Allow}), "write", "x", Allow},
		{"write all, beside it", write(Rule{"*", Allow}), "write", "../x", Deny},
		{"a rule from the root", write(Rule{"web/src/**", Allow}), "write", "src/x", Allow},
		{"a rule as if from the part", write(Rule{"src/**", Allow}), "write", "src/x", Deny},
		{"a rule for what is beside it", write(Rule{"docs/**", Allow}), "write", "../docs/x", Deny},
		{"one that asks, beside it", write(Rule{"docs/**", Ask}), "write", "../docs/x", Deny},
		{"one that asks", write(Rule{"web/**", Ask}), "write", "x", Ask},
		{"a whole path", write(Rule{root + "/docs/**", Allow}), "write", "../docs/x", Allow},
		{"a denial from the root", write(Rule{"*", Allow}, Rule{"web/secret/**", Deny}), "write", "secret/x", Deny},
		{"a command", bash("cat x"), "bash", "cat x", Allow},
		{"a command elsewhere", bash("make test"), "bash", "cd ../docs && make test", Deny},
		{"a command where it was meant", bash("make test"), "bash", "make test", Allow},
		{"a redirect beside it", bash("echo *"), "bash", "echo x > ../docs/x", Deny},
		{"a redirect", bash("echo *"), "bash", "echo x > x", Allow},
		{"the part itself", bash("rm *"), "bash", "rm -r ../web", Deny},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := New(Config{Root: root, Part: filepath.Join(root, "web"), Domains: []Domain{{Layers: []Rules{c.rules}}}})
			if err != nil {
				t.Fatal(err)
			}
			key := "filePath"
			if c.tool == "bash" {
				key = "command"
			}
			input, err := json.Marshal(map[string]string{key: c.about})
			if err != nil {
				t.Fatal(err)
			}
			if d := p.Decide(Call{Tool: c.tool, Input: input}); d.Verdict != c.want {
				t.Errorf("got %v (%s), want %v", d.Verdict, d.Reason, c.want)
			}
		})
	}
	p, err := New(Config{Root: root, Part: filepath.Join(root, "web"), Domains: []Domain{{Layers: []Rules{write(Rule{"*", Allow}, Rule{"docs/**", Allow}, Rule{"web/src/**", Allow})}}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Writable(); !slices.Equal(got, []string{filepath.Join(root, "web")}) {
		t.Errorf("open to commands: %v", got)
	}
	if _, err := New(Config{Root: filepath.Join(root, "web"), Part: root}); err == nil {
		t.Error("a part that is larger than the workspace is taken")
	}
}
