package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestAll runs every case once, as small as it can be: each has to work, for flow
// and for the floor, and to be in the table and in the file.
func TestAll(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the programs are not built")
	}
	tree := t.TempDir()
	if err := os.WriteFile(filepath.Join(tree, "a.go"), []byte("// Deprecated: no.\nfunc doRetry() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "new.txt")
	var table bytes.Buffer
	s := settings{only: regexp.MustCompile(""), runs: 1, out: out, tree: tree, sizes: sizes{shrink: 1000}}
	if err := s.run(t.Context(), &table); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases(tree, s.sizes) {
		if !strings.Contains(table.String(), "\n"+c.name) {
			t.Errorf("%s is not in the table", c.name)
		}
		for _, line := range c.benchmarks() {
			if !strings.Contains(string(written), line) {
				t.Errorf("%s is not in the file", line)
			}
		}
	}
	t.Log("\n" + table.String())
}

// benchmarks are the names that the file has for a case.
func (c bout) benchmarks() []string {
	m := measured{bout: c}
	names := []string{m.benchmark("flow")}
	if c.floor != nil {
		names = append(names, m.benchmark("floor"))
	}
	return names
}

func TestRow(t *testing.T) {
	fast := usage{wall: 10 * time.Millisecond, cpu: 8 * time.Millisecond, maxRSS: 30 << 10}
	slow := usage{wall: 40 * time.Millisecond, cpu: 30 * time.Millisecond, maxRSS: 60 << 10}
	for _, c := range []struct {
		name   string
		m      measured
		missed string // "" for nothing
	}{
		{"within", measured{bout: bout{wall: 3, cpu: 3}, flows: []usage{slow, fast, fast}, floors: []usage{fast}}, ""},
		{"wall and processor", measured{bout: bout{wall: 3, cpu: 3}, flows: []usage{slow}, floors: []usage{fast}},
			"wall ratio 4.00, at most 3.00 wanted; cpu ratio 3.75, at most 3.00 wanted"},
		{"memory", measured{bout: bout{megabytes: 50}, flows: []usage{slow}}, "megabytes 60.00, at most 50.00 wanted"},
		{"memory as it grows", measured{bout: bout{base: "less", megabytes: 1.5}, flows: []usage{slow}, basePeak: 30},
			"memory ratio to less 2.00, at most 1.50 wanted"},
		{"seconds", measured{bout: bout{seconds: 0.01}, flows: []usage{slow}}, "seconds 0.04, at most 0.01 wanted"},
	} {
		row := c.m.row()
		_, missed, _ := strings.Cut(strings.TrimSuffix(row, "\n"), "! ")
		if missed != c.missed {
			t.Errorf("%s: %q", c.name, row)
		}
	}
}
