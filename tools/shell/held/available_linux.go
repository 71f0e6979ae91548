package held

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
)

// Available returns nil if commands can be held here, or an error that says why not. It
// tries once, because a system may support everything and still refuse it.
func Available() error { return tried().err }

// userNamespace reports whether commands get a user namespace. Root does without one if
// the system refuses it.
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

// tryNamespaces makes a view without overlays, which depend on the workspace.
func tryNamespaces(user bool) error {
	return trial(spec{
		Plan: plan{Private: []string{"/tmp"}},
		User: user, Offline: true,
	})
}

// trial carries out a plan, and runs nothing.
func trial(s spec) error {
	s.Path = ""
	cmd := exec.Command("true")
	cmd.Err = nil // true need not exist: wrap replaces it
	files, err := s.wrap(cmd)
	defer closeAll(files)
	if err != nil {
		return err
	}
	ended := cmd.Run()
	r, err := read(files)
	switch {
	case r != nil && r.Error != "":
		return errors.New(r.Error)
	case r == nil || err != nil:
		return errors.Join(ended, err)
	}
	return nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
