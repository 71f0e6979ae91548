//go:build !linux

package shell

import "os/exec"

// session does nothing: only Linux can find strays.
type session struct{}

func enlist(cmd *exec.Cmd) (session, error) { return session{}, cmd.Start() }

// AdoptStrays does nothing: only Linux processes can adopt others.
func AdoptStrays() {}

// Seclude does nothing: there is no /proc to read another process by.
func Seclude() {}

func adopt() error { return nil }

func dropPowers() error { return nil }

func bound(int) {}

func (session) leave() {}

func (session) endStrays() {}

// KillChildren does nothing: only Linux lists children.
func KillChildren() {}
