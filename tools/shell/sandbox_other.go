//go:build !linux

package shell

import (
	"fmt"
	"io/fs"
	"runtime"
	"time"
)

// Sandboxes returns an error: only Linux has sandboxes for commands.
func Sandboxes() error { return fmt.Errorf("there is no sandbox on %s", runtime.GOOS) }

func (*Sandbox) Enter() error { return Sandboxes() }

// touched returns the current time, so that files are read each time.
func touched(fs.FileInfo) time.Time { return time.Now() }
