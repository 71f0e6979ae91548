// Package testkit has what tests of several packages need: the recorded cases that are not part of this
// repository, and how much CPU time a test has used.
package testkit

import (
	"syscall"
	"time"
)

// CPUTime returns the time that the process has used while the function ran. If that can't be
// measured, it is 0.
func CPUTime(work func()) time.Duration {
	before := used()
	work()
	return used() - before
}

func used() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
