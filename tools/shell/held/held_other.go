//go:build !linux

package held

import (
	"fmt"
	"os/exec"
	"runtime"
)

// Available returns an error: only Linux can hold commands.
func Available() error { return fmt.Errorf("there are no held commands on %s", runtime.GOOS) }

// Run holds the commands of one run.
type Run struct{}

// Open returns the error of [Available].
func Open(Options) (*Run, error) { return nil, Available() }

// Close does nothing.
func (*Run) Close() error { return nil }

// Space returns the error of [Available].
func (*Run) Space(SpaceOptions) (*Space, error) { return nil, Available() }

// Space is a workspace in which commands are held.
type Space struct{}

// Begin returns the error of [Available].
func (*Space) Begin(Call) (*View, error) { return nil, Available() }

// View is the view of the file system of one command.
type View struct{}

// Wrap returns the error of [Available].
func (*View) Wrap(*exec.Cmd) error { return Available() }

// Exit returns nothing.
func (*View) Exit() (e Exit, ok bool, err error) { return Exit{}, false, nil }

// Land returns the error of [Available].
func (*View) Land(Judge, bool) (Outcome, error) { return Outcome{}, Available() }

// Closed returns "".
func (*View) Closed() string { return "" }

// Close does nothing.
func (*View) Close() error { return nil }
