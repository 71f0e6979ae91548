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
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{server, child} {
		for running(pid) { // a kill takes its time
			time.Sleep(5 * time.Millisecond)
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
