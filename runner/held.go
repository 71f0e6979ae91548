package runner

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
)

// heldFolders are the folders of a run that somebody is writing to. They are
// held open until they are let go: to walk down to one for each of its files is
// most of what a small step costs. It is safe for concurrent use.
type heldFolders struct {
	top  *os.Root
	mu   sync.Mutex
	open map[string]*os.Root
}

// at returns a folder, and makes it where there is none. It stays open until it
// is let go of.
func (h *heldFolders) at(dir string) (*os.Root, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.enter(dir)
}

func (h *heldFolders) enter(dir string) (*os.Root, error) {
	if dir == "." {
		return h.top, nil
	}
	if root := h.open[dir]; root != nil {
		return root, nil
	}
	parent, err := h.enter(path.Dir(dir))
	if err != nil {
		return nil, err
	}
	name := path.Base(dir)
	if err := parent.Mkdir(name, privateFolder); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	root, err := parent.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if h.open == nil {
		h.open = map[string]*os.Root{}
	}
	h.open[dir] = root
	return root, nil
}

// letGo closes a folder and those in it. Nobody writes to them any more, or they
// are to be found anew.
func (h *heldFolders) letGo(dir string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if root := h.open[dir]; root != nil {
		root.Close()
		delete(h.open, dir)
	}
}

// letGoOfAll closes a folder and all that are in it.
func (h *heldFolders) letGoOfAll(dir string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, root := range h.open {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			root.Close()
			delete(h.open, name)
		}
	}
}
