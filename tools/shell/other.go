//go:build !linux

package shell

import (
	"fmt"
	"io/fs"
	"os/exec"
	"runtime"
	"time"
)

// Sandboxes returns an error: only Linux has sandboxes for commands.
func Sandboxes() error { return fmt.Errorf("there is no sandbox on %s", runtime.GOOS) }

// Enter returns the error of [Sandboxes].
func (*Sandbox) Enter() error { return Sandboxes() }

// touched returns the current time, so that files are read each time.
func touched(fs.FileInfo) time.Time { return time.Now() }

// ReapOrphans does nothing: only Linux processes can adopt others.
func ReapOrphans() {}

// HideMemory does nothing: there is no /proc to read another process by.
func HideMemory() {}

// KillChildren does nothing: only Linux lists children.
func KillChildren() {}

func startInSession(cmd *exec.Cmd, _ bool) error { return cmd.Start() }

func endSession(int, bool) {}

func dropPowers() error { return nil }

func bound(int) {}
