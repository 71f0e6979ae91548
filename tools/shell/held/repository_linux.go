package held

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/internal/repository"
)

// outerRepository is a git repository that is not all in the workspace: the workspace is a
// subfolder of the working tree, or the working tree is a linked one, a submodule, or has a
// separate git directory. A command of git gets overlays of the whole working tree and of
// the folders elsewhere. It can change there what belongs to git, and nothing else lands.
type outerRepository struct {
	repository.Repository
	elsewhere []string // the folders outside of the working tree that hold the rest
	mask      *mask    // of the working tree
	layer     string   // the folder of by-products, from the top of the working tree

	foreign error // why its parts may not belong together; nil says that they do
	once    sync.Once
	closed  string // why no command can change it; "" says that commands can
}

// maxAround is how many files a working tree around the workspace may have.
const maxAround = 1_000_000

// findRepository returns the repository of a workspace, unless all of it is in there. It
// decides before any command runs, so that no command can choose what it is.
func (r *Run) findRepository(o SpaceOptions) *outerRepository {
	if o.Disposable { // commands may have written its .git
		return nil
	}
	root := o.Root
	found, ok := repository.Around(root)
	if !ok || found.Git == filepath.Join(root, ".git") && found.Common == found.Git {
		return nil
	}
	outer := &outerRepository{Repository: found, foreign: found.Check()}
	for _, path := range folder.Outermost([]string{found.Git, found.Common}) {
		if !folder.Holds(found.Top, path) {
			outer.elsewhere = append(outer.elsewhere, path)
		}
	}
	outer.closed = r.closes(outer, root)
	return outer
}

// folders returns the folders of which commands get overlays, the working tree first.
func (o *outerRepository) folders() []string { return append([]string{o.Top}, o.elsewhere...) }

// closes returns why no command can change a repository, or "".
func (r *Run) closes(o *outerRepository, root string) string {
	switch {
	case o.foreign != nil:
		return o.foreign.Error()
	case mountOf(root) != mountOf(o.Top):
		return root + " is mounted in it" // an overlay of the working tree would not have the files
	}
	home, _ := filepath.EvalSymlinks(r.o.Home)
	for _, path := range o.folders() {
		holds := func(other string) bool { return other != "" && folder.Holds(path, other) }
		switch {
		case holds(home):
			return path + " holds the home folder"
		case slices.ContainsFunc(append(r.private(), "/dev", "/proc"), holds):
			return path + " holds folders of the system"
		case path != o.Top && holds(o.Top):
			return path + " holds the working tree"
		}
	}
	for _, path := range []string{o.Git, o.Common, filepath.Join(o.Common, "objects")} {
		if err := unix.Access(path, unix.W_OK); err != nil {
			return fmt.Sprintf("%s can't be written: %v", path, err)
		}
	}
	return ""
}

// setRepository makes the folder of by-products and the masks of the space, for the
// workspace and for the working tree around it.
func (s *Space) setRepository(o *outerRepository) error {
	s.mask = newMask(filepath.Join(s.path, "mask"), []string{s.o.Root}, s.hidden())
	s.layer = filepath.Join(s.path, "layer")
	s.repository = o
	if o == nil {
		return mkdirLike(s.layer, s.o.Root)
	}
	inside, err := filepath.Rel(o.Top, s.o.Root)
	if err != nil {
		return err
	}
	o.layer, s.layer = s.layer, filepath.Join(s.layer, inside)
	o.mask = newMask(filepath.Join(s.path, "around"), o.folders(), s.hidden())
	if o.Top != s.o.Root {
		o.mask.limit = maxAround
	}
	return errors.Join(mkdirLike(o.layer, o.Top), makeParents(o.layer, o.Top, inside), mkdirLike(s.layer, s.o.Root))
}

// opened returns the repository if a command may change it, or only read in its view. It
// tries that once.
func (s *Space) opened(c Call) *outerRepository {
	o := s.repository
	if o == nil || !c.Git {
		return nil
	}
	o.once.Do(func() {
		if o.closed == "" {
			if err := s.try(Call{Git: true}, o); err != nil {
				o.closed = err.Error()
			}
		}
	})
	if o.closed != "" {
		return nil
	}
	return o
}

// Closed returns why a command of git can't change the repository that the workspace is in,
// or "".
func (v *View) Closed() string {
	if v.space.repository == nil || !v.call.Git || v.repository != nil {
		return ""
	}
	return "commands can only read the git repository of " + v.space.repository.Top + ": " + v.space.repository.closed
}

// ground is the folder that is locked while something lands: spaces with the same repository
// have the same one.
func (s *Space) ground() string {
	if o := s.repository; o != nil && o.closed == "" {
		return o.Common
	}
	if git := filepath.Join(s.o.Root, ".git"); repository.Owner(git) >= 0 {
		return git
	}
	return s.o.Root
}

// roots returns the folders that the command may change, each of which gets an overlay. The
// first one is the workspace, or the working tree around it.
func (v *View) roots() []string {
	tree := []string{v.space.o.Root}
	if v.repository != nil {
		tree = v.repository.folders()
	}
	if v.call.ReadOnly {
		return tree
	}
	for _, path := range v.others {
		if !folder.AnyHolds(tree, path) {
			tree = append(tree, path)
		}
	}
	return tree
}

// beside returns the folders beside the workspace that a command can only read, among them
// those of a repository.
func (v *View) beside() (all []string) {
	if v.call.ReadOnly {
		all = v.others
	}
	if o := v.space.repository; o != nil && o.foreign == nil {
		all = append(slices.Clip(all), o.folders()...)
	}
	roots := v.roots()
	return slices.DeleteFunc(slices.Clone(all), func(path string) bool { return folder.AnyHolds(roots, path) })
}

// gitFileOf returns what a path is to git, or nil.
func (v *View) gitFileOf(c Change) *gitFile {
	if o := v.repository; o != nil {
		for _, dir := range []string{o.Git, o.Common} {
			if folder.Holds(dir, c.Path) {
				return v.gitFile(dir, c.Path, dir != o.Git)
			}
		}
	}
	if at := gitSegment(c.Rel); at >= 0 {
		segments := strings.Split(c.Rel, "/")
		root := strings.TrimSuffix(c.Path, c.Rel)
		return v.gitFile(filepath.Join(root, filepath.Join(segments[:at+1]...)), c.Path, false)
	}
	return nil
}

// gitFile returns what a path is in a git directory.
func (v *View) gitFile(git, path string, shared bool) *gitFile {
	g := &gitFile{shared: shared}
	rel, err := filepath.Rel(git, path)
	if err != nil || rel == "." {
		return g
	}
	segments := strings.Split(rel, "/")
	g.own = strings.Split(strings.ToLower(rel), "/")
	if g.own[0] == "worktrees" && len(segments) > 1 {
		tree := repository.Tree(filepath.Join(git, segments[0], segments[1]))
		g.other = tree == "" || !folder.Holds(v.space.o.Root, tree)
	}
	return g
}

// change describes what happened to a path of an overlaid folder.
func (v *View) change(root, rel string, kind Kind) Change {
	workspace := v.space.o.Root
	c := Change{Path: filepath.Join(root, rel), Rel: rel, Kind: kind, root: root, beside: root != workspace}
	if inside, is := strings.CutPrefix(c.Path, workspace+"/"); is && c.beside {
		c.Rel, c.root, c.beside = inside, workspace, false
	}
	c.git = v.gitFileOf(c)
	if o := v.repository; o != nil {
		c.outside = c.beside && !folder.AnyHolds(slices.Concat(v.others, []string{o.Git, o.Common}), c.Path)
	}
	return c
}

// indexed returns the working tree whose index a change is, or "".
func (v *View) indexed(c Change) string {
	if c.git == nil || !c.git.isIndex() {
		return ""
	}
	git := filepath.Dir(c.Path)
	if o := v.repository; o != nil && git == o.Git {
		return o.Top
	}
	return repository.Tree(git)
}

// mountOf returns the id of the mount that a path is on, or 0 if it is not known.
func mountOf(path string) uint64 {
	var info unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_MNT_ID, &info) != nil {
		return 0
	}
	return info.Mnt_id
}
