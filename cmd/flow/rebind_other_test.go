//go:build !linux

package main

import "os"

// rebind is for the system that has namespaces.
func rebind() { os.Exit(75) }
