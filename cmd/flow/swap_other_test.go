//go:build !linux

package main

// swap is for the system that can exchange two names at once.
func swap() { panic("the program swap is for Linux") }
