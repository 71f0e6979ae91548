//go:build !unix

package shell

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func terminate(p *os.Process) { _ = p.Kill() }

func kill(p *os.Process) { _ = p.Kill() }

func status(s *os.ProcessState) (code int, signal string) { return s.ExitCode(), "" }
