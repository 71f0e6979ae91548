package held

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSocketGone: a socket that its program takes away before a command starts is no reason
// for the command not to run.
func TestSocketGone(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	listener, err := net.Listen("unix", filepath.Join("/var", fmt.Sprintf("flow-gone-%d.sock", os.Getpid())))
	if err != nil {
		t.Skip("A SOCKET OUTSIDE WAS NOT TRIED: ", err)
	}
	defer listener.Close()
	v, err := f.space.Begin(Call{})
	must(t, err)
	defer v.Close()
	cmd := exec.Command("true")
	cmd.Dir = f.root
	must(t, v.Wrap(cmd))
	listener.Close()
	must(t, cmd.Start())
	_ = cmd.Wait()
	if status, ok, err := v.Exit(); err != nil || !ok {
		t.Errorf("it did not run: %v, %v", status, err)
	}
}

// TestSocketNames reads a table as the kernel prints it. Its head is no socket: taken
// for a name that is not absolute, it made every command look at every process.
func TestSocketNames(t *testing.T) {
	const table = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000003 00000000 00000000 0001 03 21478
0000000000000000: 00000002 00000000 00010000 0001 01 21479 /run/docker.sock
0000000000000000: 00000002 00000000 00010000 0001 01    17 /tmp/a b/../c.sock
0000000000000000: 00000002 00000000 00010000 0001 01 21480 @/tmp/.X11-unix/X0
0000000000000000: 00000002 00000000 00010000 0005 01 21481 run/agent.sock
`
	absolute, relative := socketNames(strings.NewReader(table))
	if diff := cmp.Diff([]string{"/run/docker.sock", "/tmp/c.sock"}, absolute); diff != "" {
		t.Errorf("absolute (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"run/agent.sock"}, relative); diff != "" {
		t.Errorf("relative (-want +got):\n%s", diff)
	}
}
