package process

import "syscall"

// endWithParent has the kernel kill the process when the thread that started it
// ends, as it does when this program is killed. What the process has started
// itself is not reached by that.
func endWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }

// onMainThread reports whether the calling goroutine runs on the thread that the
// process began with.
func onMainThread() bool { return syscall.Gettid() == syscall.Getpid() }
