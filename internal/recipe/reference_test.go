package recipe

import (
	"errors"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct{ text, source, folder, file, version string }{
		{"github.com/acme/recipes/review@v1.2.0", "https://github.com/acme/recipes", "review", "flow.yaml", "v1.2.0"},
		{"github.com/acme/recipes@main", "https://github.com/acme/recipes", ".", "flow.yaml", "main"},
		{"github.com/acme/recipes/a/b/quick.yaml@feature/x", "https://github.com/acme/recipes", "a/b", "quick.yaml", "feature/x"},
		{"gitlab.com/group/sub/repo.git/review@v1", "https://gitlab.com/group/sub/repo.git", "review", "flow.yaml", "v1"},
		{"codeberg.org/acme/recipes/review", "https://codeberg.org/acme/recipes", "review", "flow.yaml", ""},
		{"git+https://example.com/r.git//review@v1", "https://example.com/r.git", "review", "flow.yaml", "v1"},
		{"git+ssh://git@example.com/acme/r.git//review@v1", "ssh://git@example.com/acme/r.git", "review", "flow.yaml", "v1"},
		{"git+file:///srv/r.git//x.yml@0123456789012345678901234567890123456789", "file:///srv/r.git", ".", "x.yml", "0123456789012345678901234567890123456789"},
		{"git+http://127.0.0.1:8080/r@v1", "http://127.0.0.1:8080/r", ".", "flow.yaml", "v1"},
		{"oci://registry.example.com/recipes/review:v1", "registry.example.com/recipes/review", ".", "flow.yaml", "v1"},
		{"oci://localhost:5000/review", "localhost:5000/review", ".", "flow.yaml", ""},
		{"oci://localhost:5000/review@sha256:" + strings.Repeat("a", 64), "localhost:5000/review", ".", "flow.yaml", "sha256:" + strings.Repeat("a", 64)},
	} {
		r, ok, err := Parse(tt.text)
		if !ok || err != nil {
			t.Errorf("%s: %v, %v", tt.text, ok, err)
			continue
		}
		if r.Source != tt.source || r.Folder != tt.folder || r.File != tt.file || r.Version != tt.version || r.Text != tt.text {
			t.Errorf("%s: %+v", tt.text, r)
		}
	}
}

// TestSameFolder: neither the version nor the protocol makes it another recipe.
func TestSameFolder(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"github.com/acme/recipes/review@v1.0.0", "github.com/acme/recipes/review@v1.2.0", true},
		{"github.com/acme/recipes/review@v1", "github.com/Acme/Recipes.git/review/quick.yaml@main", true},
		{"github.com/acme/recipes/review@v1", "git+https://github.com/acme/recipes.git//review@v1", true},
		{"git+https://example.com:8443/r//review@v1", "git+ssh://git@example.com./r.git//review@v2", true},
		{"github.com/acme/recipes/review@v1", "github.com/acme/recipes/test@v1", false},
		{"github.com/acme/recipes/review@v1", "github.com/other/recipes/review@v1", false},
		{"git+file:///srv/r.git//review@v1", "git+file:///srv/r//review@v2", true},
		{"oci://registry.example.com/x:v1", "oci://registry.example.com/x@sha256:" + strings.Repeat("a", 64), true},
		{"oci://registry.example.com/x:v1", "oci://registry.example.com/y:v1", false},
		{"oci://github.com/acme/recipes:v1", "github.com/acme/recipes@v1", false},
	} {
		a, _, errA := Parse(tt.a)
		b, _, errB := Parse(tt.b)
		if errA != nil || errB != nil || a.SameFolder(b) != tt.want || b.SameFolder(a) != tt.want {
			t.Errorf("%s and %s: want %v (%v, %v)", tt.a, tt.b, tt.want, errA, errB)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"github.com/acme", "names no repository"},
		{"github.com//recipes@v1", "names no repository"},
		{"github.com/acme/recipes/../../x@v1", "is not a path in a recipe"},
		{"github.com/acme/recipes/.git@v1", "is not a path in a recipe"},
		{"github.com/acme/recipes/x@--upload-pack=id", "is not a tag, branch or commit"},
		{"github.com/acme/recipes/x@a..b", "is not a tag, branch or commit"},
		{"github.com/acme/recipes/x@a b", "is not a tag, branch or commit"},
		{"git+ext://sh -c id//x@v1", "expected https, ssh or file after git+"},
		{"git+http://example.com/r@v1", "http is only allowed for this machine; use https"},
		{"git+https://me:secret@example.com/r@v1", "it contains a password; use a credential helper of git"},
		{"git+file://host/r@v1", "a file's path is absolute"},
		{"git+ssh://-oProxyCommand=id/r@v1", "no such host"},
		{"git+ssh://git@-oProxyCommand=id/r@v1", "no such host"},
		{"git+ssh://-l@example.com/r@v1", "no such host"},
		{"github.com/acme/..@v1", "names no repository"},
		{"github.com/../acme/x@v1", "names no repository"},
		{"github.com/acme/recipes?x=1@v1", "names no repository"},
		{"github.com/\u0430cme/recipes@v1", "names no repository"},
		{"github.com/acme/re\u200bcipes@v1", "names no repository"},
		{"github.com/acme/recipes/re\u202eview@v1", "is not a path in a recipe"},
		{"git+https://ex\u0430mple.com/r@v1", "names no repository"},
		{"git+https://example.com/a b@v1", "names no repository"},
		{"git+https://example.com/r?x@v1", "names no repository"},
		{"oci://registry", "names no artefact"},
		{"oci://registry/UPPER:v1", "in lower case only"},
		{"oci://registry/x@md5:00", "a digest"},
		{"oci://registry/x:../y", "names no artefact"},
		{"git+https://127.1:9555/r@v1", "plain form"},
		{"git+https://2130706433/r@v1", "plain form"},
		{"git+https://0x7f.1/r@v1", "plain form"},
		{"git+https://0x7f000001/r@v1", "plain form"},
		{"git+https://0177.0.0.1/r@v1", "plain form"},
		{"git+https://127.0.0.1./r@v1", "plain form"},
		{"git+ssh://git@127.1/r@v1", "plain form"},
		{"oci://127.1:5000/r:v1", "plain form"},
	} {
		if r, ok, err := Parse(tt.text); !ok || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, %v, %+v; want %q", tt.text, ok, err, r, tt.want)
		}
	}
	for _, path := range []string{"review.yaml", "./github.com/x", "a/b/flow.yaml", "actions/checkout@v4", ""} {
		if _, ok, err := Parse(path); ok || err != nil {
			t.Errorf("%q: %v, %v", path, ok, err)
		}
	}
}

func TestHints(t *testing.T) {
	for text, want := range map[string]string{
		"https://github.com/acme/recipes@v1":         "write github.com/acme/recipes@v1",
		"GitHub.com/acme/recipes@v1":                 "write github.com/acme/recipes@v1",
		"https://git.example.com/r.git//review@v1":   "write git+https://git.example.com/r.git//review@v1",
		"ssh://git@github.com/acme/recipes@v1":       "write git+ssh://git@github.com/acme/recipes@v1",
		"git@github.com:acme/recipes.git//review@v1": "write git+ssh://git@github.com/acme/recipes.git//review@v1",
		"oci://ghcr.io/Acme/x:v1":                    "write oci://ghcr.io/acme/x:v1",
		"github.com/acme/recipes@":                   "add a tag, a branch or a commit, such as github.com/acme/recipes@v1.0.0",
		"oci://ghcr.io/acme/x":                       "add a tag, such as oci://ghcr.io/acme/x:v1",
	} {
		r, _, err := Parse(text)
		if err == nil {
			_, err = Resolve(t.Context(), r)
		}
		var hinted *HintedError
		if !errors.As(err, &hinted) || hinted.Hint() != want {
			t.Errorf("%s: got %v, want the hint %q", text, err, want)
		}
	}
}

func TestGitSays(t *testing.T) {
	for said, want := range map[string]string{
		"Host key verification failed.\r\nfatal: Could not read from remote repository.\n\nPlease make sure": "Host key verification failed: Could not read from remote repository.",
		"fatal: not a git repository\n": "not a git repository",
		"error: one\nerror: two\n":      "error: two",
		"":                              "exit status 1",
	} {
		if got := lastLine(said, errors.New("exit status 1")); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLocal(t *testing.T) {
	for text, want := range map[string]bool{
		"git+file:///srv/r@v1": true, "git+http://127.0.0.1:8080/r@v1": true, "git+ssh://git@localhost/r@v1": true, "git+https://[::1]/r@v1": true,
		"git+https://0.0.0.0/r@v1": true, "git+https://0.1.2.3/r@v1": true, "git+https://localhost./r@v1": true, "git+https://LocalHost/r@v1": true,
		"git+https://a.localhost/r@v1": true, "git+https://[::]/r@v1": true, "git+https://[::ffff:127.0.0.1]/r@v1": true, "oci://0.0.0.0:5000/r:v1": true,
		"git+https://192.0.2.7/r@v1": false, "git+https://example.com./r@v1": false,
		"oci://localhost:5000/r:v1": true, "oci://127.0.0.1/r:v1": true,
		"github.com/acme/recipes@v1": false, "git+https://example.com/r@v1": false, "oci://registry.example.com/r:v1": false,
	} {
		if r := parsed(t, text); r.Local() != want {
			t.Errorf("%s is of this machine: %v", text, r.Local())
		}
	}
}

func TestStays(t *testing.T) {
	for version, want := range map[string]bool{"v1.2.3": true, "v1.2.3-rc.1": true, "v1": false, "main": false, "stable": false, strings.Repeat("a", 40): true} {
		if got := (Reference{Version: version}).Stays(); got != want {
			t.Errorf("%s stays: %v", version, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"github.com/a/b/c@v1", "git+https://h/r//f@v", "oci://h/n:t", "git+file:///a//b@c", "oci://h/n@sha256:0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, ok, err := Parse(text)
		if !ok || err != nil {
			return
		}
		if strings.HasPrefix(r.Source, "-") || strings.HasPrefix(r.Version, "-") || strings.Contains(r.Folder, "..") || r.File == "" {
			t.Errorf("%q: %+v", text, r)
		}
	})
}
