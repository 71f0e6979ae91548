//go:build !linux

package shell

import (
	"fmt"
	"runtime"
)

// Sandboxes reports why the kernel has none for commands, or nil.
func Sandboxes() error { return fmt.Errorf("there is no sandbox on %s", runtime.GOOS) }

func (*Sandbox) Enter() error { return Sandboxes() }
