package permission

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestRoots: what a step in docs may do by the rules of its own file, which start there, and by those of
// the file around it, which start at the whole workspace. Both have to allow a call.
func TestRoots(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"sub/docs/secret", "beside"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"docs": "sub/docs", "sub/docs/link": filepath.Join(root, "sub/docs/plain")} {
		if err := os.Symlink(to, filepath.Join(root, from)); err != nil {
			t.Fatal(err)
		}
	}
	write := func(rules ...Rule) Rules { return Rules{"write": rules} }
	bash := func(command string) Rules {
		return Rules{"bash": {{command, Allow}}, "write": {{"**", Allow}}}
	}
	all := write(Rule{"*", Allow})
	for _, c := range []struct {
		name          string
		around, inner Rules
		tool, about   string
		want          Verdict
	}{
		{"both allow it", all, all, "write", "x", Allow},
		{"a rule from each root", write(Rule{"sub/docs/a/**", Allow}), write(Rule{"a/**", Allow}), "write", "a/x", Allow},
		{"a rule from the inner root in the outer file", write(Rule{"a/**", Allow}), all, "write", "a/x", Deny},
		{"a rule from the outer root in the inner file", all, write(Rule{"sub/docs/a/**", Allow}), "write", "a/x", Deny},
		{"a denial of the outer file", write(Rule{"*", Allow}, Rule{"sub/docs/secret/**", Deny}), all, "write", "secret/x", Deny},
		{"a denial of the inner file", all, write(Rule{"*", Allow}, Rule{"secret/**", Deny}), "write", "secret/x", Deny},
		{"a denied link", all, write(Rule{"*", Allow}, Rule{"link", Deny}), "write", "link", Deny},
		{"a denied link by its whole path", all, write(Rule{"*", Allow}, Rule{"link", Deny}), "write", filepath.Join(root, "docs/link"), Deny},
		{"one that asks", write(Rule{"sub/**", Ask}), all, "write", "x", Ask},
		{"beside the inner root", all, all, "write", "../x", Deny},
		{"beside the inner root, by its whole path", all, write(Rule{root + "/beside/**", Allow}), "write", root + "/beside/x", Allow},
		{"reading beside it", nil, nil, "read", root + "/beside/x", Deny},
		{"reading", nil, nil, "read", "x", Allow},
		{"a command of both", bash("cat *"), bash("cat *"), "bash", "cat x", Allow},
		{"a command that the outer file means for its own root", Rules{"bash": {{"make test", Allow}}, "write": {{"sub/docs/**", Allow}}}, bash("make test"), "bash", "make test", Deny},
	} {
		t.Run(c.name, func(t *testing.T) {
			inner := filepath.Join(root, "docs")
			p, err := New(Config{Root: root, Part: inner, Domains: []Domain{{Root: root, Layers: []Rules{c.around}}, {Root: inner, Layers: []Rules{c.inner}}}})
			if err != nil {
				t.Fatal(err)
			}
			key := map[string]string{"bash": "command"}[c.tool]
			if key == "" {
				key = "filePath"
			}
			input, err := json.Marshal(map[string]string{key: c.about})
			if err != nil {
				t.Fatal(err)
			}
			if d := p.Decide(Call{Tool: c.tool, Input: input}); d.Verdict != c.want {
				t.Errorf("%s %q: %+v", c.tool, c.about, d)
			}
		})
	}
}
