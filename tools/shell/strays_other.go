//go:build !linux

package shell

import "os/exec"

// A session is that of one command: only Linux lets its strays be found.
type session struct{}

func enlist(cmd *exec.Cmd) (session, error) { return session{}, cmd.Start() }

// AdoptStrays does nothing: only Linux has processes adopt others.
func AdoptStrays() {}

func adopt() error { return nil }

func dropPowers() error { return nil }

func bound(int) {}

func (session) leave() {}

func (session) endStrays() {}

// KillChildren does nothing: only Linux lists the commands that still run.
func KillChildren() {}
