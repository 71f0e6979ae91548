// Package cputime measures for tests how long this process keeps the processors busy.
// Unlike the time on a clock that does not depend on what else the machine does.
package cputime

import (
	"syscall"
	"time"
)

// Of returns the time that the process has used while the function ran. If that can't be
// measured, it is 0.
func Of(work func()) time.Duration {
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
