//go:build !linux

package process

import "syscall"

// endWithParent does nothing: only Linux can.
func endWithParent(*syscall.SysProcAttr) {}

// onMainThread returns false. It matters where threads give up rights, as only Linux's can.
func onMainThread() bool { return false }
