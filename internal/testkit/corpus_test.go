package testkit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"repository/a/b", "shared/wire/x", "mine/x"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "repository/go.mod"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ in, variable, want string }{
		{"repository", "", "shared/wire"},
		{"repository/a/b", "", "shared/wire"},
		{"repository/a/b", " ", "shared/wire"},
		{"repository/a/b", "../mine", "mine"},
		{"repository/a/b", filepath.Join(top, "mine/"), "mine"},
		{"repository/a", "../none", ""},
	} {
		t.Run(c.in+" "+c.variable, func(t *testing.T) {
			t.Chdir(filepath.Join(top, c.in))
			t.Setenv("CORPUS", c.variable)
			ran := filepath.Join(t.TempDir(), "ran")
			t.Setenv("FLOW_CORPORA_RAN", ran)
			found, skipped := "", true
			t.Run("find", func(t *testing.T) {
				t.Cleanup(func() { skipped = t.Skipped() })
				found = Find(t, "CORPUS", "../shared/wire")
			})
			if skipped != (c.want == "") || c.want != "" && found != filepath.Join(top, c.want) {
				t.Errorf("found %q, skipped: %v; want %q", found, skipped, c.want)
			}
			if text, _ := os.ReadFile(ran); strings.Contains(string(text), "NO CASES OF A CORPUS WERE RUN") != skipped {
				t.Errorf("skipped: %v; it says %q", skipped, text)
			}
			if n := len(Seeds(t, "CORPUS", "../shared/wire", "*")); (n == 1) != (c.want != "") {
				t.Errorf("%d seeds", n)
			}
		})
	}
}
