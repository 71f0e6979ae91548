package held

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	maxProcesses = 4096    // of a command, with threads
	maxFileSize  = 8 << 30 // of one file that it writes, in bytes
)

// Wrap has a command, which must not have been started, run in the view: it replaces it by
// this program, which starts it with the same arguments, directory, environment and
// standard files. The caller starts it, from a thread that has all its rights, before it closes
// the view.
func (v *View) Wrap(cmd *exec.Cmd) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	p, err := v.plan()
	if err != nil {
		return fmt.Errorf("held command: %w", err)
	}
	s := spec{
		Plan: p, Path: cmd.Path, Args: cmd.Args, Dir: cmd.Dir, Env: v.environment(cmd.Env),
		Offline: v.call.Offline,
	}
	if s.Dir == "" {
		s.Dir = v.space.o.Root
	}
	if real, err := filepath.EvalSymlinks(s.Dir); err == nil {
		s.Dir = real // a link to it may be in a folder that the view does not have, such as /tmp
	}
	v.files, err = s.wrap(cmd)
	return err
}

// environment returns the environment of a held command: without variables that name
// folders or sockets which are not in the view, and with those with which git does not write
// when it only reads, and finds a repository around an overlay, which is another file system
// than the folder above it.
func (v *View) environment(env []string) []string {
	out := []string{"GIT_OPTIONAL_LOCKS=0"}
	if v.space.repository.Git != "" {
		out = append(out, "GIT_DISCOVERY_ACROSS_FILESYSTEM=1")
	}
	for _, variable := range env {
		switch name, _, _ := strings.Cut(variable, "="); name {
		case "TMPDIR", "TMP", "TEMP", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "TMUX":
		default:
			out = append(out, variable)
		}
	}
	return out
}

// wrap replaces a command by this program, with the spec in a file. The second file that it
// returns holds the report when the program has ended, however it did.
func (s *spec) wrap(cmd *exec.Cmd) (files []*os.File, err error) {
	s.UID, s.GID = os.Geteuid(), os.Getegid()
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	for _, content := range [][]byte{text, nil} {
		f, err := memory("flow", content)
		if err != nil {
			return files, err
		}
		files = append(files, f)
	}
	cmd.Path, cmd.Args, cmd.Dir = "/proc/self/exe", []string{marker}, "/"
	cmd.Env = []string{"GOMAXPROCS=1"} // most of its time is the start of Go, whose threads would only wake each other
	cmd.ExtraFiles = files
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	return files, s.separate(cmd.SysProcAttr)
}

// separate makes a process the first of new namespaces.
func (s *spec) separate(a *syscall.SysProcAttr) error {
	a.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC
	if s.Offline {
		a.Cloneflags |= unix.CLONE_NEWNET
	}
	if s.UID != 0 {
		a.AmbientCaps = []uintptr{
			unix.CAP_SYS_ADMIN, unix.CAP_SYS_RESOURCE, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_DAC_OVERRIDE,
		}
		return nil
	}
	// All users of root's namespace are mapped, each to itself.
	a.GidMappingsEnableSetgroups = true
	var err error
	if a.UidMappings, err = sameIDs("/proc/self/uid_map"); err == nil {
		a.GidMappings, err = sameIDs("/proc/self/gid_map")
	}
	return err
}

// memory returns a file in memory, without a path.
func memory(name string, content []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memory file: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := f.Write(content); err != nil {
		f.Close()
		return nil, err
	}
	_, err = f.Seek(0, io.SeekStart)
	return f, err
}

func sameIDs(path string) ([]syscall.SysProcIDMap, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []syscall.SysProcIDMap
	for line := range strings.Lines(string(text)) {
		var first, outside, count int
		if _, err := fmt.Sscan(line, &first, &outside, &count); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, syscall.SysProcIDMap{ContainerID: first, HostID: first, Size: count})
	}
	return all, nil
}

// Exit returns how the command ended. It may be called when the program inside has ended.
// ok is false if that was killed, with all that it had started. An error says that the
// command could not be started.
func (v *View) Exit() (e Exit, ok bool, err error) {
	r, err := read(v.files)
	if err != nil || r == nil {
		return Exit{}, false, nil
	}
	if r.Error != "" {
		return Exit{}, false, errors.New(r.Error)
	}
	status := syscall.WaitStatus(r.Status)
	if status.Signaled() {
		return Exit{128 + int(status.Signal()), unix.SignalName(status.Signal()), r.Why}, true, nil
	}
	return Exit{status.ExitStatus(), "", r.Why}, true, nil
}

// read returns the report in the second file, or nil if there is none.
func read(files []*os.File) (*report, error) {
	if len(files) < 2 {
		return nil, nil
	}
	text := make([]byte, 64<<10)
	n, err := files[1].ReadAt(text, 0)
	if n == 0 {
		return nil, nil
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	var r report
	return &r, json.Unmarshal(text[:n], &r)
}
