package held

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/repository"
)

// findRepository sets where git's files are: the workspace may be a subfolder of the working
// tree, or the working tree a linked one, a submodule, or have a separate git directory. It
// decides before any command runs, so that no command can choose what they are.
func (r *Run) findRepository(s *Space) {
	s.roots = []string{s.o.Root}
	found, ok := repository.Around(s.o.Root)
	if s.o.Disposable || !ok { // commands may have written a disposable .git
		return
	}
	s.repository, s.roots = found, []string{found.Top}
	for _, path := range paths.Outermost([]string{found.Git, found.Common}) {
		if !paths.Holds(found.Top, path) {
			s.roots = append(s.roots, path)
		}
	}
	if s.inside, _ = filepath.Rel(found.Top, s.o.Root); s.inside == "." && len(s.roots) == 1 {
		return
	}
	if why := r.closes(s); why != "" {
		s.close(why)
	}
}

// close leaves the repository to be read only: git's directories are roots beside the
// workspace.
func (s *Space) close(why string) {
	s.closed, s.inside, s.roots = why, ".", []string{s.o.Root}
	for _, path := range paths.Outermost([]string{s.repository.Git, s.repository.Common}) {
		if !paths.Holds(s.o.Root, path) && !paths.Holds(path, s.o.Root) {
			s.roots = append(s.roots, path)
		}
	}
}

// closes returns why no command can change a repository, or "".
func (r *Run) closes(s *Space) string {
	found := s.repository
	if err := found.Check(); err != nil {
		return err.Error()
	}
	if mountOf(s.o.Root) != mountOf(found.Top) {
		return s.o.Root + " is mounted in it" // an overlay of the working tree would not have the files
	}
	home, _ := filepath.EvalSymlinks(r.o.Home)
	for _, path := range s.roots {
		holds := func(other string) bool { return other != "" && paths.Holds(path, other) }
		switch {
		case holds(home):
			return path + " holds the home folder"
		case path != found.Top && holds(found.Top):
			return path + " holds the working tree"
		}
	}
	for _, path := range []string{found.Git, found.Common, filepath.Join(found.Common, "objects")} {
		if err := unix.Access(path, unix.W_OK); err != nil {
			return fmt.Sprintf("%s can't be written: %v", path, err)
		}
	}
	return ""
}

// Closed returns why a command of git can't change the repository that the workspace is in,
// or "".
func (v *View) Closed() string {
	if !v.call.Git || v.open {
		return ""
	}
	return "commands can only read the git repository of " + v.space.repository.Top + ": " + v.space.closed
}

// ground is the folder that is locked while something lands: spaces with the same repository
// have the same one.
func (s *Space) ground() string {
	if s.repository.Common != "" && s.closed == "" {
		return s.repository.Common
	}
	return s.o.Root
}

// gitDirs returns the directories of git that the command may change.
func (v *View) gitDirs() []string {
	if !v.open || v.space.repository.Git == "" {
		return nil
	}
	return []string{v.space.repository.Git, v.space.repository.Common}
}

// gitFileOf returns what a path is to git, or nil.
func (v *View) gitFileOf(c Change) *gitFile {
	for _, dir := range v.gitDirs() {
		if paths.Holds(dir, c.Path) {
			return v.gitFile(dir, c.Path, dir != v.space.repository.Git)
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
		g.other = tree == "" || !paths.Holds(v.space.o.Root, tree)
	}
	return g
}

// change describes what happened to a path of an overlaid folder.
func (v *View) change(root, rel string, kind Kind) Change {
	workspace := v.space.o.Root
	c := Change{Path: filepath.Join(root, rel), Rel: rel, Kind: kind, Root: root, beside: root != workspace}
	if inside, is := strings.CutPrefix(c.Path, workspace+"/"); is && c.beside {
		c.Rel, c.Root, c.beside = inside, workspace, false
	}
	c.git = v.gitFileOf(c)
	c.outside = c.beside && !paths.AnyHolds(slices.Concat(v.others, v.gitDirs()), c.Path)
	return c
}

// knowsPasswords reports whether the command may see the passwords in git's configuration.
func (v *View) knowsPasswords() bool { return v.call.Connects && v.call.Git && !v.call.Beside }

// includedPasswords returns the files with passwords, outside of the roots, that git's configuration includes. In
// the roots they are files like others.
func (s *Space) includedPasswords() (all []string) {
	for _, path := range s.repository.Included(s.run.o.Home) {
		real, err := filepath.EvalSymlinks(path)
		if _, isFile := stampOf(real); err != nil || !isFile || s.revealed(path) || paths.AnyHolds(s.roots, real) {
			continue
		}
		if text, err := os.ReadFile(real); err == nil && password().Match(text) { // a command can't read what this user can't
			all = append(all, real)
		}
	}
	return all
}

// treeOf returns the working tree whose index a change is.
func (v *View) treeOf(index Change) string {
	git := filepath.Dir(index.Path)
	if o := v.space.repository; git == o.Git {
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
