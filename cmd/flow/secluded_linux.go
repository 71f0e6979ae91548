package main

import "golang.org/x/sys/unix"

// seclude keeps other processes of the same user, commands of a model among
// them, from reading this one's memory and environment, where keys are. Where
// the kernel refuses, the policy alone stands before them.
func seclude() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
