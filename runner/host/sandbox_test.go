package host

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

// TestSandboxesOfLayers: a command may write where each of the sandboxes around it says so.
func TestSandboxesOfLayers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		write [][]string
		want  []string
	}{
		{"one", [][]string{{"/a", "/b"}}, []string{"/a", "/b"}},
		{"an inner one is narrower", [][]string{{"/a", "/b"}, {"/a/in"}}, []string{"/a/in"}},
		{"an inner one is wider", [][]string{{"/a/in"}, {"/a", "/c"}}, []string{"/a/in"}},
		{"they have nothing in common", [][]string{{"/a"}, {"/b"}, {"/a"}}, nil},
	} {
		ws := &workspace{limits: limits{on: true, write: tt.write}}
		if got := ws.changeable(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestWritableUnderAllDomains: what several domains leave writable is what each of them does.
func TestWritableUnderAllDomains(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"a/in", "b"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	under := func(patterns ...string) []string {
		config := permission.Config{Root: root}
		for _, pattern := range patterns {
			config.Domains = append(config.Domains, permission.Domain{Layers: []permission.Rules{{
				"bash": {{Pattern: "*", Verdict: permission.Allow}}, "write": {{Pattern: pattern, Verdict: permission.Allow}},
			}}})
		}
		policy, err := permission.New(config)
		if err != nil {
			t.Fatal(err)
		}
		return policy.Writable()
	}
	inner := under("a/in/**")
	if len(inner) == 0 || slices.Equal(inner, under("a/**")) {
		t.Fatalf("%q, %q", inner, under("a/**"))
	}
	for _, tt := range []struct{ all, want []string }{
		{under("a/**", "a/in/**"), inner}, {under("a/in/**", "a/**"), inner}, {under("a/**", "b/**"), nil}, {under("a/**", "b/**", "a/**"), nil},
	} {
		if !slices.Equal(tt.all, tt.want) {
			t.Errorf("got %q, want %q", tt.all, tt.want)
		}
	}
}

// TestCommandWithoutSpace: an author's command that is to be held in a workspace for which no space can be
// made is kept to the workspace by Landlock, with a warning, unless it has to be held.
func TestCommandWithoutSpace(t *testing.T) {
	if err := errors.Join(held.Available(), shell.Sandboxes()); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	w, dir := loaded(t)
	w.env = with(map[string]string{"PATH": os.Getenv("PATH"), "TMPDIR": t.TempDir()})
	outside := filepath.Join(t.TempDir(), "outside")
	for _, required := range []bool{false, true} {
		var warned []string
		b := newToolboxes(w, Options{Warn: func(message string) { warned = append(warned, message) }})
		scope := scopeOf(w, dir, 0)
		ws, err := b.workspace(scope)
		if err != nil {
			t.Fatal(err)
		}
		ws.open = func() (*held.Space, error) { return nil, errors.New("no room") }
		sandbox, err := b.sandbox(scope, limits{required: required}, false)
		if err != nil {
			t.Fatal(err)
		}
		c := steps.Command{Source: "echo x >inside; ! echo x >" + outside, Dir: dir, Env: w.env.ofCommands(nil, nil), Sandbox: sandbox}
		r := c.Run(t.Context())
		if ran := r.Error == nil; ran == required || len(warned) > 0 == required {
			t.Errorf("required %v: %+v, warned %q", required, r.Error, warned)
		}
		if err := b.close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "inside")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("a file outside of the workspace was written")
	}
}
