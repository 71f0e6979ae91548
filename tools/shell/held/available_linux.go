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
func Available() error { return tried() }

// tried makes a view without overlays, which depend on the workspace.
var tried = sync.OnceValue(func() error {
	if !kernelAtLeast(5, 12) {
		return errors.New("the kernel is older than 5.12")
	}
	if err := trial(spec{Plan: plan{Private: []string{"/tmp"}}, Offline: true}); err != nil {
		return fmt.Errorf("namespaces: %w", err)
	}
	return nil
})

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
