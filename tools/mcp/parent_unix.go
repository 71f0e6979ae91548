//go:build unix && !linux

package mcp

import "syscall"

// endWithParent does nothing: only Linux can. A server sees the end of its input.
func endWithParent(*syscall.SysProcAttr) {}
