package permission

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestUnreadable: the paths outside of the workspace that rules for reading deny.
func TestUnreadable(t *testing.T) {
	m := newSandbox(t)
	m.build(t, []fixtureFile{{Path: "/home/u/notes/x"}, {Path: "/home/u/a[1].txt"}, {Path: "/home/u/b.key"}, {Path: "/home/u/c.key"}, {Path: "/home/u/deep/down/X"}, {Path: "/home/u/x/y"}, {Path: "/home/u/deep/keys/k"}, {Path: "/home/u/deep/k"}})
	p := build(t, m, Config{}, Rules{"read": {
		{"*", Allow}, {"~/notes/**", Deny}, {"~/a[1].txt", Ask}, {"~/*.key", Deny}, {"~/.bashrc", Allow},
		{"docs/**", Deny}, {"~/gone", Deny}, {"~/**/x", Deny}, {"~/**/keys/**", Ask}, {"~/deep/**/k", Allow}, {"/**", Deny},
	}})
	var got []string
	found, err := p.Unreadable()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		rel, _ := filepath.Rel(p.roots.Home, path)
		got = append(got, rel)
	}
	slices.Sort(got)
	if text := strings.Join(got, " "); text != "a[1].txt b.key c.key deep/down/X deep/keys notes notes/x x" {
		t.Errorf("got %s", text)
	}
}

// TestUnreadableRecords: the records of runs outside of the workspace are not readable, but for
// the outputs of the run.
func TestUnreadableRecords(t *testing.T) {
	m := newSandbox(t)
	m.build(t, []fixtureFile{{Path: "/outside/run/journal.jsonl"}, {Path: "/outside/run/outputs/a"}, {Path: "/outside/old/journal.jsonl"}, {Path: "/ws/now/journal.jsonl"}})
	c := Config{Records: []string{m.path("/outside/run"), m.path("/outside/old"), m.path("/ws/now")}, Readable: []string{m.path("/outside/run/outputs")}}
	for rules, want := range map[string]string{"": "old/journal.jsonl run/journal.jsonl", m.path("/outside/old/**"): "run/journal.jsonl"} {
		found, err := build(t, m, c, Rules{"read": {{"*", Allow}, {cmp.Or(rules, "x"), Allow}}}).Unreadable()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, path := range found {
			rel, _ := filepath.Rel(m.path("/outside"), path)
			got = append(got, rel)
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("with %q: got %s, want %s", rules, text, want)
		}
	}
}
