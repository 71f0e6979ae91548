package shell

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

// start starts the command, with what it is given, on its pipes, in a view where
// there is one.
func (c Command) start(with given, p *pipes, view *held.View) (*group, error) {
	CloseInherited()
	args := c.Args
	if len(args) == 0 {
		args = scriptArgs(with.source)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = append([]string{}, with.env...) // nil would inherit
	p.attach(cmd)
	g, err := c.startGroup(cmd, view)
	if err == nil {
		return g, nil
	}
	if info, dirErr := os.Stat(c.Dir); c.Dir != "" && (dirErr != nil || !info.IsDir()) {
		return nil, fmt.Errorf("command: %q is no folder to run in", c.Dir)
	}
	return nil, fmt.Errorf("command %q: %w", args[0], err)
}

// scriptArgs is how a script of the workflow's author runs: the first command
// that fails ends it.
func scriptArgs(script string) []string {
	if _, err := exec.LookPath("bash"); err != nil {
		return []string{"sh", "-e", "-c", script}
	}
	return []string{"bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script}
}

// commandArgs is how a model's command runs: as at a prompt, where a search
// that finds nothing ends no more than itself. The shell bounds the files that it
// writes before anything else: who bounds it from outside may come too late. That
// stands on the command's first line, so that lines keep their numbers.
//
// Without bash there is none: another shell would read the command in another way
// than it was judged.
func commandArgs(command string) ([]string, error) {
	if _, err := exec.LookPath("bash"); err != nil {
		return nil, errors.New("there is no bash on this machine, and no other shell takes its place")
	}
	bounds := fmt.Sprintf("ulimit -c 0 -f %d 2>/dev/null; ", MaxPrinted>>10)
	return []string{"bash", "--noprofile", "--norc", "-c", bounds + command}, nil
}
