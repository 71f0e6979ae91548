package held

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// Available says why commands can't be held here, or nil. It tries, once: a system
// may have all of it and refuse it.
func Available() error { return tried().err }

// userNamespace reports whether commands get one. Root does without where the
// system refuses it.
func userNamespace() bool { return tried().user }

type capability struct {
	user bool
	err  error
}

var tried = sync.OnceValue(func() capability {
	if !kernelAtLeast(5, 12) {
		return capability{err: errors.New("the kernel is older than 5.12")}
	}
	err := tryNamespaces(true)
	if err == nil {
		return capability{user: true}
	}
	if os.Geteuid() == 0 {
		if alone := tryNamespaces(false); alone == nil {
			return capability{}
		}
	}
	return capability{err: fmt.Errorf("namespaces: %w", err)}
})

// Foreign returns of a folder, and of those in it, the ones in which no command can change
// anything: their user or group is not one that an unprivileged namespace has.
func Foreign(folder string) (all []string) {
	if os.Geteuid() == 0 {
		return nil
	}
	entries, _ := os.ReadDir(folder) // what can't be listed is told elsewhere
	paths := []string{folder}
	for _, entry := range entries {
		paths = append(paths, filepath.Join(folder, entry.Name()))
	}
	var info unix.Stat_t
	for _, path := range paths {
		if unix.Lstat(path, &info) == nil && info.Mode&unix.S_IFMT == unix.S_IFDIR && (int(info.Uid) != os.Geteuid() || int(info.Gid) != os.Getegid()) {
			all = append(all, path)
		}
	}
	return all
}

// tryNamespaces makes all that a view is made of but the overlays: these depend on
// where the workspace is.
func tryNamespaces(user bool) error {
	return trial(spec{
		Plan: plan{Private: []string{"/tmp"}, Size: privateSize},
		User: user, Offline: true, Processes: mostProcesses, FileSize: mostFileSize,
	})
}

// trial carries out a plan, and runs nothing.
func trial(s spec) error {
	s.Path = ""
	cmd := exec.Command("true")
	cmd.Err = nil // it is not what is started
	result, err := s.wrap(cmd)
	if result != nil {
		defer result.Close()
	}
	if err != nil {
		return err
	}
	defer cmd.ExtraFiles[0].Close()
	ended := cmd.Run()
	r, err := read(result)
	switch {
	case r != nil && r.Error != "":
		return errors.New(r.Error)
	case r == nil || err != nil:
		return errors.Join(ended, err)
	}
	return nil
}
