package process

import "syscall"

// endWithParent has the kernel kill the process when the thread that started it ends, which
// happens when this program is killed. It does not kill the children of the process.
func endWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }

// onMainThread reports whether the calling goroutine runs on the main thread.
func onMainThread() bool { return syscall.Gettid() == syscall.Getpid() }
