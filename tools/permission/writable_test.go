package permission

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWritable(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"docs/api", "build"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "one.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	allow := func(patterns ...string) (rules []Rule) {
		for _, p := range patterns {
			rules = append(rules, Rule{Pattern: p, Verdict: Allow})
		}
		return rules
	}
	write := func(patterns ...string) Rules { return Rules{"write": allow(patterns...), "bash": allow("make *")} }
	for _, c := range []struct {
		name    string
		domains []Rules
		want    []string // from the workspace
	}{
		{"no rules", []Rules{{}}, nil},
		{"a folder", []Rules{write("docs/**")}, []string{"docs"}},
		{"a folder in a folder", []Rules{write("docs/**", "docs/api/**", "build/")}, []string{"build", "docs"}},
		{"names in a folder", []Rules{write("docs/*.md")}, []string{"docs"}},
		{"any folder", []Rules{write("**/*.go")}, []string{"."}},
		{"a part of a name", []Rules{write("do*/x")}, []string{"."}},
		{"a file", []Rules{write("one.txt")}, []string{"one.txt"}},
		{"a file to be", []Rules{write("docs/new.md")}, []string{"docs"}},
		{"a folder to be", []Rules{write("gen/**")}, []string{"."}},
		{"everything", []Rules{write("*")}, []string{"."}},
		{"a denial", []Rules{{"write": {{Pattern: "docs/**", Verdict: Deny}}}}, nil},
		{"all commands", []Rules{{"bash": allow("*")}}, []string{"."}},
		{"all commands, and what may be written", []Rules{{"bash": allow("*"), "write": allow("docs/**")}}, []string{"docs"}},
		{"all commands, and what may not", []Rules{{"bash": allow("*"), "write": {{Pattern: "docs/**", Verdict: Deny}}}}, []string{"."}},
		{"commands by name", []Rules{{"bash": allow("make *")}}, nil},
		{"two domains", []Rules{write("docs/**", "build/**"), write("docs/api/**")}, []string{"docs/api"}},
		{"two that have nothing in common", []Rules{write("docs/**"), write("build/**")}, nil},
		{"a domain without rules", []Rules{write("docs/**"), {}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := Config{Root: root}
			for _, rules := range c.domains {
				config.Domains = append(config.Domains, Domain{Layers: []Rules{rules}})
			}
			policy, err := New(config)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, path := range policy.Writable() {
				rel, err := filepath.Rel(policy.roots.Workspace, path)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, rel)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("writable are %q, want %q", got, c.want)
			}
		})
	}
}
