//go:build !linux

package process

import "syscall"

// endWithParent does nothing: only Linux can.
func endWithParent(*syscall.SysProcAttr) {}

// onMainThread is asked where threads give up rights: only Linux lets them.
func onMainThread() bool { return false }
