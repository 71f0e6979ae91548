package view

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal/journaltest"
)

// TestChoice chooses among a run that succeeded in an hour, by a clock that is ahead, one that
// succeeded an hour ago, one that failed a day ago, one that waits for two days, and one
// whose journal is broken.
func TestChoice(t *testing.T) {
	runs := t.TempDir()
	add := func(id, name, status string, ago time.Duration) {
		began := time.Now().Add(-ago).UTC().Format(time.RFC3339)
		journaltest.Write(t, filepath.Join(runs, id), fmt.Sprintf(`{"kind":"run","time":%q,"version":1,"data":{"run_id":%q,"workflow":{"name":%q},"steps":[],"inputs":{}}}
{"kind":"end","time":%[1]q,"status":%[4]q,"data":{"status":%[4]q}}
`, began, id, name, status))
	}
	add("ahead", "ahead", "succeeded", -time.Hour)
	add("good", "docs", "succeeded", time.Hour)
	add("bad", "docs", "failed", 24*time.Hour)
	add("asks", "review", "waiting", 48*time.Hour)
	journaltest.Write(t, filepath.Join(runs, "20200101-000000-aaaa"), "{\n")
	const broken = "20200101-000000-aaaa"
	tests := []struct {
		chosen Choice
		want   string
	}{
		{Choice{}, "ahead good bad asks " + broken},
		{Choice{State: "failed"}, "bad"},
		{Choice{Workflow: "docs"}, "good bad"},
		{Choice{Since: 30 * time.Hour}, "ahead good bad"},
		{Choice{Older: 12 * time.Hour}, "bad asks " + broken},
		{Choice{Keep: 2, Old: true}, "bad"},
		{Choice{Keep: 9, Old: true}, ""},
		{Choice{Old: true, State: Waiting}, "asks"},
		{Choice{Old: true, Older: 12 * time.Hour}, "bad"},
	}
	for _, test := range tests {
		found, err := test.chosen.List(runs)
		var ids []string
		for _, g := range found {
			ids = append(ids, filepath.Base(g.Folder))
		}
		if got := strings.Join(ids, " "); err != nil || got != test.want {
			t.Errorf("%+v: %q, %v, want %q", test.chosen, got, err, test.want)
		}
	}
}
