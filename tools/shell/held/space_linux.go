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

// Space is a workspace in which commands are held, under one policy. It is safe for
// concurrent use.
type Space struct {
	o     SpaceOptions
	run   *Run
	store *store
	path  string // the folder of the space, in the store
	layer string // the folder of by-products
	mask  *mask

	repository *outerRepository // of the workspace, if it is not all in there

	mu        sync.Mutex          // guards elsewhere, and is held while the layer changes
	elsewhere lookedFor[[]string] // what is hidden outside of the workspace
}

// Space returns a new space of the run.
func (r *Run) Space(o SpaceOptions) (*Space, error) {
	found := r.findRepository(o)
	apart := []string{o.Root}
	if found != nil && found.closed == "" {
		apart = found.folders()
	}
	s, err := r.store(apart)
	if err != nil {
		return nil, fmt.Errorf("held commands: %w", err)
	}
	path, err := os.MkdirTemp(s.path, "space-")
	if err != nil {
		return nil, err
	}
	space := &Space{o: o, run: r, store: s, path: path}
	if err := space.setRepository(found); err != nil {
		return nil, err
	}
	return space, space.try(Call{}, nil)
}

// hidden returns SpaceOptions.Hidden without what is to be revealed, or nil.
func (s *Space) hidden() func(path string, folder bool) bool {
	if s.o.Hidden == nil {
		return nil
	}
	return func(path string, isFolder bool) bool {
		if isFolder && slices.ContainsFunc(s.o.Reveal, func(shown string) bool { return folder.Holds(path, shown) }) {
			return false // only what is beside the revealed path is hidden
		}
		return s.o.Hidden(path, isFolder) && !s.revealed(path)
	}
}

// try makes a view, but runs nothing in it.
func (s *Space) try(c Call, o *outerRepository) error {
	v, err := s.begin(c, o)
	if err != nil {
		return err
	}
	defer v.Close()
	p, err := v.plan()
	if err != nil {
		return err
	}
	if err := trial(spec{Plan: p, User: userNamespace(), Processes: maxProcesses, FileSize: maxFileSize}); err != nil {
		return fmt.Errorf("held commands in %s: %w", s.o.Root, err)
	}
	return nil
}

// View is the view of the file system of one command, and the changes that it made there.
// It is not safe for concurrent use.
type View struct {
	space  *Space
	call   Call
	path   string
	uppers []upper
	caches []upper
	since  unix.Timespec   // when it began, by the clock of the file system
	number uint64          // of the last landing before it began
	hidden map[string]bool // the hidden files and folders of the workspace, or of the working tree around it

	repository *outerRepository // that the command may change; nil for all others
	others     []string         // the folders beside the workspace that it may change

	secrets []string // those of the home folder, set by Land

	report *os.File // of the program inside
	landed bool     // all changes have landed, so that there is little to remove
}

// upper is the folder for the changes to another one. Without a path that can't change.
type upper struct {
	root, path, work string
	parts            []string    // the parts of root that commands see; nil is all
	layer            string      // the folder for changes that do not land, or ""
	mu               *sync.Mutex // held while the layer changes
}

// Begin makes the view of one command.
func (s *Space) Begin(c Call) (*View, error) { return s.begin(c, s.opened(c)) }

func (s *Space) begin(c Call, o *outerRepository) (*View, error) {
	v := &View{space: s, call: c, repository: o, others: s.others()}
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

// begin creates the folders for the changes of the command.
func (v *View) begin() error {
	s := v.space
	for i, root := range v.roots() {
		up, err := v.newUpper(filepath.Join(v.path, fmt.Sprint(i)), root)
		if err != nil {
			return err
		}
		if i == 0 {
			up.layer, up.mu = s.layer, &s.mu
			if v.repository != nil {
				up.layer = v.repository.layer
			}
		}
		v.uppers = append(v.uppers, up)
	}
	for _, c := range s.run.caches {
		for _, path := range joined(c.root, c.parts) {
			_ = os.MkdirAll(path, 0o755) // somebody may have removed it
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
	v.number = ledgerOf(s.ground()).begin()
	var info unix.Stat_t
	if err := unix.Stat(v.uppers[0].work, &info); err != nil {
		return err
	}
	v.since = info.Ctim
	return nil
}

// others returns the folders beside the workspace that may change, and exist.
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

// newUpper creates an upper folder and its work folder, whose paths begin with path.
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

// Close removes the files of the view.
func (v *View) Close() error {
	if v.report != nil {
		v.report.Close()
		v.report = nil
	}
	if v.call.ReadOnly {
		return nil
	}
	if v.landed { // only folders are left, and nobody has to wait for their removal
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

// plan returns the plan of the view, without what is hidden outside of the workspace.
func (v *View) plan() (plan, error) {
	s := v.space
	p := plan{File: filepath.Join(s.store.path, "file"), Folder: filepath.Join(s.store.path, "folder"), Size: privateSize}
	mask := s.mask
	if v.repository != nil {
		mask = v.repository.mask
	}
	masked, hidden, err := mask.layer(v.call.sight())
	if err != nil {
		return p, err
	}
	v.hidden = hidden
	for i, up := range v.uppers {
		lower := []string{up.root}
		if i < len(masked) {
			lower = []string{masked[i], up.root}
		}
		if i == 0 && !v.call.Git { // what git commits has to be in the workspace
			lower = append([]string{up.layer}, lower...)
		}
		p.Overlays = append(p.Overlays, overlay{up.root, nil, lower, up.path, up.work})
	}
	for _, up := range v.caches {
		p.Overlays = append(p.Overlays, overlay{up.root, up.parts, []string{up.layer, up.root}, up.path, up.work})
	}
	p.Private = s.run.private()
	p.Shown = append(s.shown(p.Private, v.beside()...), v.call.Show...)
	p.Closed, p.Empty = s.secrets()
	p.Closed = append(p.Closed, s.store.base)
	v.open(&p)
	p.Sockets = s.sockets(p)
	p.outermost()
	return p, nil
}

// privateSize is the size of a temporary folder of a command, which is in memory.
const privateSize = "25%"
