package mcp

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNoProcessIsLeft ends servers that stay when their input ends, and what
// they have started.
func TestNoProcessIsLeft(t *testing.T) {
	b := start(t, "stays", nil)
	text, failed, err := call(t.Context(), t, b.tool(t, "child"), `{}`)
	child, convErr := strconv.Atoi(text)
	if failed || err != nil || convErr != nil {
		t.Fatalf("%q %v %v", text, failed, err)
	}
	server := b.live.child.ID()
	began := time.Now()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("it took %v", took)
	}
	for _, pid := range []int{server, child} {
		for deadline := time.Now().Add(5 * time.Second); running(pid); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d is left", pid)
			}
		}
	}
	if _, err := b.Tools(t.Context()); err == nil {
		t.Error("a closed server was started")
	}
}

// running reports whether a process runs. One that nobody waits for does not.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(state, "Z")
}
