package host_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/runner/host"
)

// TestCacheDir: FLOW_CACHE names the folder, else it is in the cache of the user.
func TestCacheDir(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", here)
	t.Setenv("XDG_CACHE_HOME", "")
	user, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{"kept": filepath.Join(here, "kept"), "/kept": "/kept", "": filepath.Join(user, "flow", "answers")} {
		got, err := host.CacheDir(variables(map[string]string{"FLOW_CACHE": value}).Lookup)
		if err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", value, got, err, want)
		}
	}
}

// TestSecretsOfPatterns: what a pattern under env names is hidden where its name says
// that it is a secret, as the secrets of the workflow and those of providers are.
func TestSecretsOfPatterns(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "flow.yaml", `name: flow
env: ["CI_*", PLAIN_TOKEN]
secrets: [OWN]
providers: {house: {api: openai-chat, base_url: "http://house.example/v1", api_key_env: HOUSE}}
steps: [{uses: part.yaml}]
`)
	put(t, "part.yaml", "name: part\nsecrets: [PART]\nsteps: [{run: 'true'}]\n")
	set := map[string]string{
		"CI_TOKEN": "ci-token", "CI_SHA": "ci-sha", "PLAIN_TOKEN": "plain-token", "OWN": "own-secret", "HOUSE": "house-key", "PART": "part-secret",
		"OPENAI_API_KEY": "openai-key", "OTHER_TOKEN": "other-token",
	}
	env := variables(set)
	env.Names = func() (names []string) {
		for name := range set {
			names = append(names, name)
		}
		return names
	}
	w, found := host.Load("flow.yaml", host.LoadOptions{Environment: env})
	if w == nil {
		t.Fatal(found)
	}
	got := w.Secrets()
	slices.Sort(got)
	want := []string{"ci-token", "house-key", "openai-key", "own-secret", "part-secret"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("secrets (-want +got):\n%s", diff)
	}
	if text := w.Mask().String(strings.Join(want, " ") + " ci-sha"); text != "*** *** *** *** *** ci-sha" {
		t.Errorf("masked: %s", text)
	}
}

// TestScriptFile: a reference to a script is a file of the workflow's folder.
func TestScriptFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("sub", 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, "sub/flow.yaml", "name: flow\nsteps: [{run: 'true'}]\n")
	w, found := host.Load("sub/flow.yaml", host.LoadOptions{})
	if w == nil {
		t.Fatal(found)
	}
	for ref, want := range map[string]string{"script/a/b.yaml": "sub/a/b.yaml", "script//a.yaml": "/a.yaml", "openai/gpt-5": ""} {
		if got := w.ScriptFile(ref); got != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
}

// TestVariableNames are those of this process, without their values.
func TestVariableNames(t *testing.T) {
	t.Setenv("FLOW_TEST_NAME", "value=of it")
	names := host.VariableNames()
	if !slices.Contains(names, "FLOW_TEST_NAME") || slices.ContainsFunc(names, func(name string) bool { return name == "" || strings.Contains(name, "=") }) {
		t.Errorf("names: %q", names)
	}
}
