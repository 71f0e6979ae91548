package held

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/folder"
)

// A Space is a workspace in which commands are held, under one policy. It is safe
// for concurrent use.
type Space struct {
	o     SpaceOptions
	run   *Run
	store *store
	path  string // the folder of the space, in the store
	layer string // of by-products
	mask  *mask

	mu        sync.Mutex          // of the layer, while it takes up changes; and of
	elsewhere lookedFor[[]string] // what is hidden outside of the workspace
}

// Space returns a workspace of the run.
func (r *Run) Space(o SpaceOptions) (*Space, error) {
	s, err := r.store(o.Root)
	if err != nil {
		return nil, fmt.Errorf("held commands: %w", err)
	}
	path, err := os.MkdirTemp(s.path, "space-")
	if err != nil {
		return nil, err
	}
	space := &Space{o: o, run: r, store: s, path: path, layer: filepath.Join(path, "layer")}
	if err := mkdirLike(space.layer, o.Root); err != nil {
		return nil, err
	}
	space.mask = newMask(path, o.Root, space.hidden())
	return space, space.try()
}

// hidden is what is hidden in the workspace, but for what is revealed; nil is nothing.
func (s *Space) hidden() func(path string, folder bool) bool {
	if s.o.Hidden == nil {
		return nil
	}
	return func(path string, isFolder bool) bool {
		if isFolder && slices.ContainsFunc(s.o.Reveal, func(shown string) bool { return folder.Holds(path, shown) }) {
			return false // it is looked into
		}
		return s.o.Hidden(path, isFolder) && !s.revealed(path)
	}
}

// try makes a view, and runs nothing in it.
func (s *Space) try() error {
	v, err := s.Begin(Call{})
	if err != nil {
		return err
	}
	defer v.Close()
	p, err := v.plan()
	if err != nil {
		return err
	}
	if err := trial(spec{Plan: p, User: userNamespace(), Processes: mostProcesses, FileSize: mostFileSize}); err != nil {
		return fmt.Errorf("held commands in %s: %w", s.o.Root, err)
	}
	return nil
}

// A View is what one command sees, and what it has changed. It is for one
// goroutine.
type View struct {
	space  *Space
	call   Call
	path   string
	uppers []upper
	caches []upper
	since  unix.Timespec   // when it began, by the clock of the file system
	number uint64          // of the landings that had been then
	hidden map[string]bool // files and folders of the workspace, from its root
	moved  map[string]bool // names of hidden files of which it made empty ones, see noteMoved

	secrets []string // of the home folder, while it lands

	report *os.File // what the program inside says
	landed bool     // all that it changed, so that little is left to be removed
}

// An upper is a folder that takes the changes of another one; without a path there
// can be none.
type upper struct {
	root, path, work string
	parts            []string    // of the root that are seen; nil is all, see [cache]
	layer            string      // that it takes up what does not land; "" is none
	mu               *sync.Mutex // of the layer
}

// Begin makes the view of one command.
func (s *Space) Begin(c Call) (*View, error) {
	v := &View{space: s, call: c}
	if !c.ReadOnly {
		var err error
		if v.path, err = os.MkdirTemp(s.store.path, "call-"); err != nil {
			return nil, err
		}
	}
	if err := v.begin(); err != nil {
		v.Close()
		return nil, fmt.Errorf("held command: %w", err)
	}
	return v, nil
}

// begin makes what takes up the changes of the command.
func (v *View) begin() error {
	s := v.space
	for i, root := range append([]string{s.o.Root}, s.others()...) {
		up, err := v.newUpper(filepath.Join(v.path, fmt.Sprint(i)), root)
		if err != nil {
			return err
		}
		if i == 0 {
			up.layer, up.mu = s.layer, &s.mu
		}
		v.uppers = append(v.uppers, up)
	}
	for _, c := range s.run.caches {
		for _, cached := range c.folders() {
			_ = ensureFolder(cached) // somebody may have removed it
		}
		up, err := v.newUpper(filepath.Join(c.calls, fmt.Sprintf("%s-%s", filepath.Base(v.path), filepath.Base(c.layer))), c.root)
		if err != nil {
			return err
		}
		up.parts, up.layer, up.mu = c.parts, c.layer, c.mu
		v.caches = append(v.caches, up)
	}
	if v.call.ReadOnly {
		return nil
	}
	v.number = ledgerOf(s.o.Root).begin()
	var info unix.Stat_t
	if err := unix.Stat(v.uppers[0].work, &info); err != nil {
		return err
	}
	v.since = info.Ctim
	return nil
}

// others are the folders beside the workspace that may change, and exist.
func (s *Space) others() []string {
	var all []string
	for _, path := range folder.Outermost(slices.Clone(s.o.Others)) {
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() || folder.Holds(s.o.Root, path) || folder.Holds(path, s.o.Root) || folder.Holds(path, s.store.path) || path == "/" {
			continue
		}
		all = append(all, path)
	}
	return all
}

// newUpper makes one of two folders, whose paths begin alike.
func (v *View) newUpper(path, root string) (upper, error) {
	if v.call.ReadOnly {
		return upper{root: root}, nil
	}
	up := upper{root: root, path: path + "-upper", work: path + "-work"}
	if err := mkdirLike(up.path, root); err != nil {
		return up, err
	}
	return up, os.Mkdir(up.work, 0o700)
}

// Close removes what is left of the command.
func (v *View) Close() error {
	if v.report != nil {
		v.report.Close()
		v.report = nil
	}
	if v.call.ReadOnly {
		return nil
	}
	if v.landed { // folders are left, for which nobody has to wait
		v.space.run.removing.Go(func() { _ = v.remove() })
		return nil
	}
	return v.remove()
}

func (v *View) remove() error {
	for _, up := range v.caches {
		_, _ = removeAll(up.path), removeAll(up.work)
	}
	return removeAll(v.path)
}

// plan is what the command sees, but for what is hidden outside of the workspace.
func (v *View) plan() (plan, error) {
	s := v.space
	p := plan{File: filepath.Join(s.store.path, "file"), Folder: filepath.Join(s.store.path, "folder"), Size: privateSize}
	masked, hidden, err := s.mask.layer(v.call.Git)
	if err != nil {
		return p, err
	}
	v.hidden = map[string]bool{}
	for _, rel := range hidden {
		v.hidden[rel] = true
	}
	for i, up := range v.uppers {
		lower := []string{up.root}
		if i == 0 {
			lower = []string{s.layer, masked, up.root}
		}
		p.Overlays = append(p.Overlays, overlay{up.root, nil, lower, up.path, up.work})
	}
	for _, up := range v.caches {
		p.Overlays = append(p.Overlays, overlay{up.root, up.parts, []string{up.layer, up.root}, up.path, up.work})
	}
	p.Private = s.run.private()
	p.Shown = append(s.shown(p.Private), v.call.Show...)
	p.Closed, p.Empty = s.secrets()
	p.Closed = append(p.Closed, s.store.base)
	p.Sockets = s.sockets(p)
	p.outermost()
	return p, nil
}

// privateSize bounds what is in a temporary folder of a command: it is in memory.
const privateSize = "25%"
