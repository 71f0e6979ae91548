//go:build !unix

package main

// afterStop never calls f: there is no stopping.
func afterStop(func()) (continued func() bool, unwatch func()) {
	return func() bool { return false }, func() {}
}
