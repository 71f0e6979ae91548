//go:build !linux

package process

import "syscall"

// endWithParent does nothing: only Linux can.
func endWithParent(*syscall.SysProcAttr) {}
