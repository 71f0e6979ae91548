package recipe

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/testkit"
	"github.com/goccy/go-yaml"
)

const (
	commitA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	commitB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	hashA   = "h1:rznvPKegfdWfwmz3+E1J+lX2b0k4qbfG4HTb+DUOBFM="
)

var digestA = "sha256:" + strings.Repeat("a", 64)

// TestLockReadsWhatItWrites: also what is hard to write in YAML.
func TestLockReadsWhatItWrites(t *testing.T) {
	lines := []string{"echo", "a: b", "- x", "# x", "'", `"`, "*x", "&x", "!x", "@x", "`x`", "{x}", "[x]", "x]", "a, b", "|", ">", "%x", "? x", "true", "null", "1e3", "~", "x:", "<<", "---", "..."}
	l := &Lock{}
	l.Set(Locked{Reference: "oci://registry.example.com/x:v1", Digest: digestA, Hash: hashA})
	locked := Locked{Reference: "github.com/acme/recipes/notes@v1", Commit: commitA, Hash: hashA}
	locked.Authority = lines
	l.Set(locked)
	data := l.Bytes()
	back, err := parseLock(data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if again := back.Bytes(); string(again) != string(data) {
		t.Errorf("it is written as\n%s\nand read as\n%s", data, again)
	}
	if got := back.Recipes[0].Authority; !slices.Equal(got, lines) {
		t.Errorf("%q", got)
	}
	var other struct{ Recipes []map[string]string } // any reader of YAML reads the same
	if err := yaml.Unmarshal(data, &other); err != nil || other.Recipes[0]["authority"] != strings.Join(lines, "\n")+"\n" || other.Recipes[1]["digest"] != digestA {
		t.Errorf("%v: %q", err, other.Recipes)
	}
}

// TestLockRefuses has locks that somebody has changed.
func TestLockRefuses(t *testing.T) {
	entry := func(reference, at, hash string) string {
		return "- reference: " + reference + "\n  " + at + "\n  hash: " + hash + "\n  authority: |\n"
	}
	const git = "github.com/acme/recipes/notes@main"
	good := entry(git, "commit: "+commitA, hashA)
	for _, tt := range []struct{ name, recipes, want string }{
		{"a good one", good, ""},
		{"no reference", strings.Replace(good, git, "notes.yaml", 1), "is not a reference"},
		{"a reference with a mistake", strings.Replace(good, git, "git+ext://sh//x@v1", 1), "is not a reference"},
		{"twice", good + strings.Replace(good, commitA, commitB, 1), "is listed twice, or out of order"},
		{"not sorted", good + strings.Replace(good, "notes", "a", 1), "is listed twice, or out of order"},
		{"a digest of a repository", strings.Replace(good, "commit: "+commitA, "digest: "+digestA, 1), "is in a git repository, but has no commit"},
		{"both", strings.Replace(good, "  hash", "  digest: "+digestA+"\n  hash", 1), "is in a git repository, but has no commit"},
		{"a commit of a registry", strings.Replace(good, git, "oci://registry/x:v1", 1), "is in a registry, but has no digest"},
		{"an option in place of a commit", strings.Replace(good, commitA, "--upload-pack=id", 1), "has no commit"},
		{"a refspec in place of a commit", strings.Replace(good, commitA, "refs/heads/main:refs/heads/x", 1), "has no commit"},
		{"another commit than it names", strings.Replace(good, git, "github.com/acme/recipes/notes@"+commitB, 1), "does not resolve to " + commitA},
		{"another digest than it names", strings.Replace(strings.Replace(good, git, "oci://registry/x@sha256:"+strings.Repeat("b", 64), 1), "commit: "+commitA, "digest: "+digestA, 1), "does not resolve to"},
		{"a path in place of a hash", strings.Replace(good, hashA, "h1:../../etc", 1), "has no hash"},
		{"an alias", "- &a\n  reference: x\n- *a\n", "line 3 is not written by flow lock"},
		{"an unknown key", strings.Replace(good, "  hash", "  extra: x\n  hash", 1), "line 5 is not written by flow lock"},
		{"many brackets", strings.Repeat("[", 1<<20), "is not written by flow lock"},
		{"many braces", strings.Repeat("{", 1<<20), "is not written by flow lock"},
		{"many dashes", strings.Repeat("- ", 1<<20), "is not written by flow lock"},
		{"many questions", strings.Repeat("? ", 1<<20), "is not written by flow lock"},
		{"many quotes", strings.Repeat("\"", 1<<18), "line 3 is not written by flow lock"},
		{"many percents", strings.Repeat("%", 1<<18), "line 3 is not written by flow lock"},
		{"many colons", strings.Repeat("a: ", 1<<17), "line 3 is not written by flow lock"},
		{"a value on several lines", strings.Replace(good, "  hash", "    x\n  hash", 1), "line 5 is not written by flow lock"},
		{"not YAML", "- [", "line 3 is not written by flow lock"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), lockFile)
			if err := os.WriteFile(path, []byte("version: 3\nrecipes:\n"+tt.recipes), 0o644); err != nil {
				t.Fatal(err)
			}
			var err error
			took := testkit.CPUTime(func() { _, err = ReadLock(path) })
			if (tt.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			if took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
	if _, err := ReadLock(t.TempDir()); err == nil || !strings.Contains(err.Error(), "it is a folder") {
		t.Error(err)
	}
}

// FuzzLock: whatever a lock has is an error or a lock that is written as it was read.
func FuzzLock(f *testing.F) {
	f.Add("version: 3\nrecipes:\n- reference: github.com/acme/recipes@main\n  commit: " + commitA + "\n  hash: " + hashA + "\n")
	f.Add("version: 2\nrecipes: [&a {reference: *a}]\n")
	f.Add("version: 2\nrecipes:\n- - - x\n")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := parseLock([]byte(text))
		if err != nil {
			return
		}
		data := l.Bytes()
		back, err := parseLock(data)
		if err != nil {
			t.Fatalf("%q is written as %q: %v", text, data, err)
		}
		if again := back.Bytes(); !bytes.Equal(again, data) {
			t.Errorf("%q is written as %q, and that as %q", text, data, again)
		}
	})
}
