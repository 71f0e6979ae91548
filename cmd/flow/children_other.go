//go:build !unix

package main

// killChildren has nothing to kill by: there are no process groups.
func killChildren() {}
