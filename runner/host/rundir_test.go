package host

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRunIDsSortByTime(t *testing.T) {
	now := time.Date(2026, 11, 21, 3, 15, 22, 0, time.UTC)
	var ids []string
	for i := range 50 {
		id := NewRunID(now.Add(time.Duration(i) * time.Second))
		if !regexp.MustCompile(`^\d{8}-\d{6}-[a-z0-9]{4}$`).MatchString(id) {
			t.Errorf("id %q", id)
		}
		ids = append(ids, id)
	}
	if !slices.IsSorted(ids) {
		t.Errorf("not in order: %v", ids)
	}
	if !strings.HasPrefix(ids[0], "20261121-031522-") {
		t.Errorf("first id %q", ids[0])
	}
}
