package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A process that died, or had no more room, just as a run was to begin, leaves a journal without a
// record: that is no run, and a new one may begin there. Nothing else is touched.
func TestAJournalWithoutARecordIsUsed(t *testing.T) {
	j, dir := begin(t, Options{})
	shut(t, j)
	whole, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, text string
		used       bool
	}{
		{"empty", "", true},
		{"the beginning of its first word", `{"s`, true},
		{"its first line, torn", string(whole[:len(whole)/2]), true},
		{"its first line without a newline", strings.TrimSuffix(string(whole), "\n"), true},
		{"its first line", string(whole), false},
		{"somebody's word", "mine", false},
		{"somebody's line", "\n", false},
		{"a later line, torn", `{"seq":2,"time"`, false},
		{"a long line, torn", `{"seq":1,` + strings.Repeat(" ", 300_000), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, File), []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			j, err := Create(dir, Options{})
			if !tt.used {
				kept, readErr := os.ReadFile(filepath.Join(dir, File))
				if !errors.Is(err, ErrRun) || string(kept) != tt.text {
					t.Errorf("got %v, and the file has %q, %v", err, kept, readErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			add(t, j, &Record{Kind: Run, Version: Version, Parallel: 8}, said("hello"))
			shut(t, j)
			j, err = Open(dir, Options{})
			if err != nil || len(j.Earlier) != 1 || j.seq != 2 {
				t.Fatalf("it can't be resumed: %+v, %v", j, err)
			}
			shut(t, j)
		})
	}
}

// What the file can't be is an error of its own, and not that there is a run.
func TestAFileThatCantBeAJournal(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a folder":           func(path string) error { return os.Mkdir(path, 0o700) },
		"a pipe":             mkfifo,
		"a symlink to there": func(path string) error { return os.Symlink("gone", path) },
	} {
		dir := t.TempDir()
		if err := make(filepath.Join(dir, File)); err != nil {
			t.Fatal(err)
		}
		j, err := Create(dir, Options{})
		if err == nil {
			shut(t, j)
		}
		if err == nil || errors.Is(err, ErrRun) || !strings.Contains(err.Error(), File) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
