//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// killChildren kills the process groups of the commands that still run. Only
// Linux tells which they are; elsewhere they are left to themselves.
func killChildren() {
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		return
	}
	for _, list := range lists {
		ids, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, id := range strings.Fields(string(ids)) {
			if pid, err := strconv.Atoi(id); err == nil && pid > 1 {
				syscall.Kill(-pid, syscall.SIGKILL)
			}
		}
	}
}
