package main

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

// A heap that is nearly empty may grow to 20 MiB before it is collected, but not if GOGC says otherwise.
func TestPace(t *testing.T) {
	for gogc, paced := range map[string]bool{"": true, "100": false} {
		t.Setenv("GOGC", gogc)
		ballast = nil
		paceCollector()
		runtime.GC()
		goal := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
		metrics.Read(goal)
		if got := goal[0].Value.Uint64(); (got >= 20<<20) != paced {
			t.Errorf("GOGC=%q: the next collection is at %d MiB", gogc, got>>20)
		}
	}
}
