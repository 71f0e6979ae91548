package testkit

import (
	"testing"
	"time"
)

func TestCPUTime(t *testing.T) {
	busy := CPUTime(func() {
		for before := used(); used()-before < 20*time.Millisecond; {
		}
	})
	if busy < 20*time.Millisecond {
		t.Errorf("busy: %v", busy)
	}
	if idle := CPUTime(func() { <-time.After(100 * time.Millisecond) }); idle > 50*time.Millisecond {
		t.Errorf("idle: %v", idle)
	}
}
