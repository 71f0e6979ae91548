package permission

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPathValueRefusesWhatWidensAPattern(t *testing.T) {
	long := strings.Repeat("a", 64<<10)
	for _, value := range []string{
		"", ".", "..", "/", "//", "/..", "./", "a/", "a//b", "a/./b", "a/..", "../a", "a/../b", "/a/../b", "~", "~/a", "~root/a",
		"./~", "./~/a", ".//", ".//a", "././a",
		"a\nb", "a\x00b", "a\x0eb", "a\x0fb", "a\x7f", "a\xff", "a\u202eb", "a\u200bb", long,
	} {
		if got, err := PathValue(value, true); err == nil {
			t.Errorf("%.20q became %.20q", value, got)
		}
	}
	for _, value := range []string{"/a", ".", "./a", ""} {
		if got, err := PathValue(value, false); err == nil {
			t.Errorf("behind other text %q became %q", value, got)
		}
	}
}

func TestValuesMatchThemselves(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"docs/a*", "docs/ab", "outside*"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		before, value, after, key, path string
		want                            Verdict
	}{
		{"", "out.md", "", "write", "out.md", Allow},
		{"", "./out.md", "", "write", "out.md", Allow},
		{"", "*", "", "write", "out.md", Deny},
		{"", "**", "", "write", "a/b", Deny},
		{"", "*", "", "write", "*", Allow},
		{"", "a?", "", "write", "ab", Deny},
		{"", "a?", "", "write", "a?", Allow},
		{"", "[a]{b}", "", "write", "[a]{b}", Allow},
		{"", "[a]", "", "write", "a", Deny},
		{"docs/", "a*", "/**", "write", "docs/a*/x", Allow},
		{"docs/", "a*", "/**", "write", "docs/ab/x", Deny},
		{"*", "*", "/x", "write", "a/b/x", Deny},
		{"", root + "/outside*", "/*", "write", "outside*/x", Allow},
		{"", "link", "/**", "write", "link/x", Deny},
		{"", "link/x", "", "write", "/etc/x", Deny},
		{"", ".git/config", "", "write", ".git/config", Deny},
		{"", ".env", "", "read", ".env", Deny},
		{"", "flow.yaml", "", "write", "flow.yaml", Deny},
		{"", "AGENTS.md", "", "write", "AGENTS.md", Deny},
	} {
		value, err := PathValue(test.value, test.before == "")
		if err != nil {
			t.Fatal(err)
		}
		source := test.before + "${{ v }}" + test.after
		domain := Domain{Layers: []Rules{{test.key: only(source, Allow)}}, Filled: map[string]string{source: test.before + value + test.after}}
		policy, err := New(Config{Root: root, Home: root, Guarded: []string{"AGENTS.md"}, Domains: []Domain{domain}})
		if err != nil {
			t.Fatal(err)
		}
		d := policy.Decide(Call{Tool: test.key, Input: []byte(`{"filePath": "` + test.path + `"}`)})
		if d.Verdict != test.want {
			t.Errorf("%s with %q: %s %s: %s", source, test.value, test.key, test.path, d.Verdict)
		}
		if test.want == Allow && d.Rule != test.key+": "+source {
			t.Errorf("the rule is called %q", d.Rule)
		}
	}
}

// What commands must not see is found on the disk, too: a value with a star hides the file of that name.
func TestValuesThatDenyAreFoundOnTheDisk(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	for _, name := range []string{"a*", "ab"} {
		if err := os.WriteFile(filepath.Join(outside, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	value, err := PathValue(outside+"/a*", true)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := New(Config{Root: root, Domains: []Domain{{Layers: []Rules{{"read": only("${{ v }}", Deny)}}, Filled: map[string]string{"${{ v }}": value}}}})
	if err != nil {
		t.Fatal(err)
	}
	if hidden, err := policy.Unreadable(); err != nil || len(hidden) != 1 || filepath.Base(hidden[0]) != "a*" {
		t.Errorf("hidden: %q, %v", hidden, err)
	}
}
