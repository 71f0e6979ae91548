package journal_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/journal/journaltest"
)

// TestFind finds runs by id, by folder and as the last one; a folder that is called last goes
// before that, but only where it is named.
func TestFind(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := journal.Find("runs", journal.Last); !errors.Is(err, journal.ErrNoRun) {
		t.Errorf("without runs: %v", err)
	}
	const first = `{"kind":"run","version":1,"data":{}}` + "\n"
	for _, dir := range []string{"runs/20200101-000000-aaaa", "runs/20210101-000000-bbbb", "last", "elsewhere/x"} {
		journaltest.Write(t, filepath.FromSlash(dir), first)
	}
	for name, want := range map[string]string{
		"":                     "runs/20210101-000000-bbbb",
		"20200101-000000-aaaa": "runs/20200101-000000-aaaa",
		"elsewhere/x":          "elsewhere/x",
		"last":                 "last",
		"bbbb":                 "runs/20210101-000000-bbbb", // the end of its id
	} {
		if got, err := journal.Find("runs", name); err != nil || filepath.ToSlash(got) != want {
			t.Errorf("%q: %s, %v", name, got, err)
		}
	}
	if dir, err := journal.FindBelow("runs", journal.Last); err != nil || filepath.Base(dir) != "20210101-000000-bbbb" {
		t.Errorf("the last id: %s, %v", dir, err)
	}
	for _, name := range []string{"bbb", "0000-bbbb", "elsewhere/x", "../elsewhere/x", ".", ""} {
		if id, err := journal.FindBelow("runs", name); !errors.Is(err, journal.ErrNoRun) {
			t.Errorf("%q is the run %s, %v", name, id, err)
		}
	}
	journaltest.Write(t, filepath.FromSlash("runs/20220101-000000-bbbb"), first)
	_, err := journal.Find("runs", "bbbb")
	if !errors.Is(err, journal.ErrAmbiguous) || !strings.Contains(err.Error(), "20220101-000000-bbbb, 20210101-000000-bbbb") {
		t.Errorf("an id that two runs have: %v", err)
	}
	if _, err := journal.Find("runs", "nothing"); !errors.Is(err, journal.ErrNoRun) {
		t.Errorf("nothing: %v", err)
	}
}
