package permission

import (
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
