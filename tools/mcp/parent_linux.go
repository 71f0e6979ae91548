package mcp

import "syscall"

// endWithParent has the kernel kill the server when the thread that started it
// ends, as it does when this program is killed.
func endWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }
