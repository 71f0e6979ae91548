package cputime

import (
	"testing"
	"time"
)

func TestOf(t *testing.T) {
	busy := Of(func() {
		for before := used(); used()-before < 20*time.Millisecond; {
		}
	})
	if busy < 20*time.Millisecond {
		t.Errorf("busy: %v", busy)
	}
	if idle := Of(func() { <-time.After(100 * time.Millisecond) }); idle > 50*time.Millisecond {
		t.Errorf("idle: %v", idle)
	}
}
