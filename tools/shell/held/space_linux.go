package held

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/repository"
)

// Space is a workspace in which commands are held, under one policy. It is safe for
// concurrent use.
type Space struct {
	o     SpaceOptions
	run   *Run
	store *store

	repository repository.Repository // around the workspace, or the zero value
	roots      []string              // the workspace, or the working tree around it; then the git directories elsewhere
	inside     string                // the workspace, from the first root
	closed     string                // why no command can change the roots that are not the workspace; "" says that git can
	mask       *mask                 // of the roots
	layer      string                // the folder of by-products, of the first root

	mu        sync.Mutex
	elsewhere lookedFor[[]string] // what is hidden outside of the workspace
}

// Space returns a new space of the run.
func (r *Run) Space(o SpaceOptions) (*Space, error) {
	s := &Space{o: o, run: r, inside: "."}
	r.findRepository(s)
	var err error
	if s.store, err = r.store(s.roots); err != nil {
		return nil, fmt.Errorf("held commands: %w", err)
	}
	err = s.try()
	if err != nil && s.closed == "" && s.roots[0] != o.Root {
		s.close(err.Error())
		err = s.try()
	}
	return s, err
}

// try makes a view of a command of git, but runs nothing in it.
func (s *Space) try() error {
	path, err := os.MkdirTemp(s.store.path, "space-")
	if err != nil {
		return err
	}
	s.layer = filepath.Join(path, "layer")
	s.mask = &mask{
		path: filepath.Join(path, "mask"), roots: s.roots, inside: s.inside, hidden: s.hidden(), revealed: s.revealed,
		limit: maxEntries, layers: map[bool]maskLayer{},
	}
	if s.inside != "." {
		s.mask.limit = s.run.maxAround
	}
	if err := errors.Join(mkdirLike(s.layer, s.roots[0]), makeParents(s.layer, s.roots[0], s.inside+"/")); err != nil {
		return err
	}
	v, err := s.Begin(Call{Git: true})
	if err != nil {
		return err
	}
	defer v.Close()
	p, err := v.plan()
	if err != nil {
		return err
	}
	if err := trial(spec{Plan: p}); err != nil {
		return fmt.Errorf("held commands in %s: %w", s.o.Root, err)
	}
	return nil
}

// hidden returns SpaceOptions.Hidden without what is to be revealed, or nil.
func (s *Space) hidden() func(path string, folder bool) bool {
	if s.o.Hidden == nil {
		return nil
	}
	return func(path string, isFolder bool) bool {
		if isFolder && slices.ContainsFunc(s.o.Reveal, func(shown string) bool { return paths.Holds(path, shown) }) {
			return false // only what is beside the revealed path is hidden
		}
		return s.o.Hidden(path, isFolder) && !s.revealed(path)
	}
}

// revealed reports whether a path, or a folder around it, is to be revealed.
func (s *Space) revealed(path string) bool { return paths.AnyHolds(s.o.Reveal, path) }

// View is the view of the file system of one command, and the changes that it made there.
// It is not safe for concurrent use.
type View struct {
	space  *Space
	call   Call
	path   string
	open   bool            // git's own files may change, wherever they are
	uppers []overlay       // of the workspace, or of the roots, and of folders beside it
	below  []overlay       // of what can only be read; the workspace may be in it
	caches []overlay       // those of the run, with uppers
	since  unix.Timespec   // when it began, by the clock of the file system
	number uint64          // of the last landing before it began
	hidden map[string]bool // the hidden files and folders of the roots
	others []string        // the folders beside the workspace that it may change

	secrets []string // those of the home folder, set by Land

	files  []*os.File // that the program inside gets
	landed bool       // all changes have landed, so that there is little to remove
}

// Begin makes the view of one command.
func (s *Space) Begin(c Call) (*View, error) {
	v := &View{space: s, call: c, open: c.Git && s.closed == "", others: s.others()}
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
	masked, hidden, err := s.mask.layer(v.knowsPasswords())
	if err != nil {
		return err
	}
	v.hidden = hidden
	for i, root := range s.roots {
		lower := []string{masked[i], root}
		if i == 0 && !v.call.Git { // what git commits has to be in the workspace
			lower = slices.Insert(lower, 0, s.layer)
		}
		switch {
		case v.open || root == s.o.Root:
			v.uppers = append(v.uppers, overlay{Target: root, Lower: lower})
		case i == 0:
			workspace := overlay{Target: s.o.Root}
			for _, path := range lower {
				workspace.Lower = append(workspace.Lower, filepath.Join(path, s.inside))
			}
			v.uppers = append(v.uppers, workspace)
			fallthrough
		default:
			v.below = append(v.below, overlay{Target: root, Lower: lower})
		}
	}
	for _, path := range v.others {
		if !v.call.ReadOnly && !slices.ContainsFunc(v.uppers, func(o overlay) bool { return paths.Holds(o.Target, path) }) {
			v.uppers = append(v.uppers, overlay{Target: path, Lower: []string{path}})
		}
	}
	v.addCaches()
	if v.call.ReadOnly {
		return nil
	}
	for i := range v.uppers {
		if err := v.uppers[i].makeUpper(filepath.Join(v.path, fmt.Sprint(i))); err != nil {
			return err
		}
	}
	for i, o := range v.caches { // on the file system of their layers
		layer := o.Lower[0]
		if err := v.caches[i].makeUpper(filepath.Join(filepath.Dir(layer), filepath.Base(v.path)+"-"+filepath.Base(layer))); err != nil {
			return err
		}
	}
	ledger := ledgerOf(s.ground())
	ledger.mu.Lock()
	v.number = ledger.number
	ledger.mu.Unlock()
	var info unix.Stat_t
	if err := unix.Stat(v.uppers[0].Work, &info); err != nil {
		return err
	}
	v.since = info.Ctim
	return nil
}

// addCaches adds the overlays of caches.
func (v *View) addCaches() {
	s := v.space
	if s.run.o.KeepCaches { // the command changes the caches themselves
		return
	}
	for _, o := range s.run.caches {
		if left, _ := os.ReadDir(o.Lower[0]); v.call.ReadOnly && len(left) == 0 {
			continue // to mount an overlay takes longer than all else
		}
		for _, path := range o.targets() {
			_ = os.MkdirAll(path, 0o755) // somebody may have removed it
		}
		v.caches = append(v.caches, o)
	}
}

// makeUpper creates the folders for changes, whose paths begin with path.
func (o *overlay) makeUpper(path string) error {
	o.Upper, o.Work = path+"-upper", path+"-work"
	if err := mkdirLike(o.Upper, o.Target); err != nil {
		return err
	}
	return os.Mkdir(o.Work, 0o700)
}

// others returns the folders beside the workspace that may change, and exist.
func (s *Space) others() (all []string) {
	for _, path := range paths.Outermost(slices.Clone(s.o.Others)) {
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() || paths.Holds(s.o.Root, path) || paths.Holds(path, s.o.Root) || paths.Holds(path, s.store.path) || path == "/" {
			continue
		}
		all = append(all, path)
	}
	return all
}

// Close removes the files of the view.
func (v *View) Close() error {
	closeAll(v.files)
	v.files = nil
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
	for _, o := range v.caches {
		_, _ = removeAll(o.Upper), removeAll(o.Work)
	}
	return removeAll(v.path)
}
