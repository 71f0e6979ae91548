package shell

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

// Keeper undoes changes of commands to files that never change: the configuration and the
// hooks of git, and other files. It compares them before and after each
// command. It is for commands that are not held, to which the system leaves the folders
// around those files writable. It is safe for concurrent use; if two commands run at the
// same time, the changes of both are reported for the one that ends first.
type Keeper struct {
	Root  string          // the workspace: absolute, without symlinks
	Git   []string        // the git directories, and files that name one, beside the .git of the workspace; absolute
	Files func() []string // other files that never change, absolute; nil says that there are none

	mu   sync.Mutex
	last map[string]snapshot // by path
}

// Limits of what is kept to be put back.
const (
	maxKept     = 20_000   // files and folders
	maxKeptFile = 4 << 20  // bytes of one file; changes to a longer one are only reported
	maxKeptText = 64 << 20 // bytes of all files
)

// snapshot is the state of a file, a folder or a symlink.
type snapshot struct {
	mode    fs.FileMode
	size    int64
	modTime time.Time
	touched time.Time // the time that no program can set
	text    []byte    // of a file; nil if it is too long
	link    string
}

// keep records what a command must not change. The function that it returns undoes
// changes to it, and returns a message about them, or "".
func (c *Command) keep(view *held.View) (undo func() string) {
	k := c.Sandbox.keeper()
	if view != nil || k == nil {
		return func() string { return "" }
	}
	files := k.files()
	was := k.look(files, c.Sandbox.Write)
	return func() string {
		undone, err := k.undo(was, files, c.Sandbox.Write)
		switch {
		case err != nil:
			return fmt.Sprintf("the command changed %s, which no command may change, and flow could not undo that: %v", k.names(undone), err)
		case len(undone) > 0:
			return fmt.Sprintf("the command changed %s, which no command may change, and flow has undone that", k.names(undone))
		}
		return ""
	}
}

// names formats paths for a model.
func (k *Keeper) names(paths []string) string {
	const maxNames = 8
	var all []string
	for _, path := range paths[:min(len(paths), maxNames)] {
		all = append(all, strings.TrimPrefix(path, k.Root+"/"))
	}
	if len(paths) > maxNames {
		all = append(all, fmt.Sprintf("%d more", len(paths)-maxNames))
	}
	return strings.Join(all, ", ")
}

func (k *Keeper) files() []string {
	if k.Files == nil {
		return nil
	}
	return k.Files()
}

// git returns the git directories, and the files that name one.
func (k *Keeper) git() []string { return append([]string{filepath.Join(k.Root, ".git")}, k.Git...) }

// look returns the state of git's configuration, of files, and of the folders around these,
// as far as they are in folders open for writing.
func (k *Keeper) look(files, write []string) map[string]snapshot {
	k.mu.Lock()
	defer k.mu.Unlock()
	found, left := map[string]snapshot{}, maxKeptText
	add := func(path string) {
		if len(found) < maxKept && paths.AnyHolds(write, path) {
			if now, ok := k.see(path, &left); ok {
				found[path] = now
			}
		}
	}
	for _, git := range k.git() {
		_ = filepath.WalkDir(git, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
			case path == git:
				add(path)
			case configuresGit(git, path):
				add(path)
				for dir := filepath.Dir(path); dir != git && found[dir].mode == 0; dir = filepath.Dir(dir) {
					add(dir) // a symlink in its place would be another folder
				}
			case entry.IsDir() && slices.Contains([]string{"objects", "refs", "logs"}, entry.Name()):
				add(filepath.Join(path, "info", "alternates"))
				add(filepath.Join(path, "info", "http-alternates"))
				return fs.SkipDir
			}
			return nil
		})
	}
	for _, top := range files {
		_ = filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				add(path)
			}
			return nil
		})
		for dir := filepath.Dir(top); dir != k.Root && paths.Holds(k.Root, dir); dir = filepath.Dir(dir) {
			add(dir)
		}
	}
	k.last = found
	return found
}

// configuresGit reports whether a path in a git directory names programs that git runs, or
// says where other parts of the repository are.
func configuresGit(git, path string) bool {
	own := strings.Split(strings.TrimPrefix(path, git+"/"), "/")
	if len(own) > 2 && (own[0] == "modules" || own[0] == "worktrees") {
		own = own[2:]
	}
	return slices.ContainsFunc(own, func(name string) bool {
		return name == "info" || known.ConfiguresGit(name)
	})
}

// isAroundConfiguration reports whether a folder is one of git's own that only holds what
// configures git, among other files.
func (k *Keeper) isAroundConfiguration(folder string) bool {
	return slices.ContainsFunc(k.git(), func(git string) bool {
		return folder == git || paths.Holds(git, folder) && !configuresGit(git, folder)
	})
}

// see returns the state of one path. It reads a file only if that has changed.
func (k *Keeper) see(path string, left *int) (now snapshot, ok bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return snapshot{}, false
	}
	now = snapshot{mode: info.Mode(), size: info.Size(), modTime: info.ModTime(), touched: touched(info)}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		now.link, _ = os.Readlink(path)
	case !info.Mode().IsRegular():
		now.size, now.touched = 0, time.Time{} // the contents of a folder are paths of their own
	default:
		// The clock of a file system is coarse: a file may change again and keep its time.
		settled := time.Since(now.touched) > time.Second
		if was := k.last[path]; was.text != nil && settled && was.touched.Equal(now.touched) && was.size == now.size {
			now.text = was.text
		} else if info.Size() <= maxKeptFile && info.Size() <= int64(*left) {
			now.text = readSame(path, info)
		}
		*left -= len(now.text)
	}
	return now, true
}

// readSame reads the file that was found at a path, or returns nil if another file is there
// now: a symlink could lead anywhere, and a pipe might never end.
func readSame(path string, found fs.FileInfo) []byte {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !os.SameFile(info, found) {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(f, maxKeptFile))
	return text
}

// undo restores the state before the command, and returns the paths that had changed.
func (k *Keeper) undo(was map[string]snapshot, files, write []string) (undone []string, err error) {
	now := k.look(files, write)
	kept, released := slices.Concat(k.git(), files), k.released(files)
	var errs []error
	var made []string
	for path, s := range now { // a new .git stays, but for what configures git
		if _, there := was[path]; !there && paths.AnyHolds(kept, path) && !(s.mode.IsDir() && k.isAroundConfiguration(path)) {
			made = append(made, path)
		}
	}
	for _, path := range paths.Outermost(made) {
		undone, errs = append(undone, path), append(errs, k.within(path, (*os.Root).RemoveAll))
	}
	var gone []string                                    // folders that are none now; what is in them was found through a symlink in their place
	for _, path := range slices.Sorted(maps.Keys(was)) { // folders before what is in them
		if was[path].same(now[path]) && !paths.AnyHolds(gone, path) || paths.AnyHolds(released, path) {
			continue
		}
		if was[path].mode.IsDir() && !now[path].mode.IsDir() {
			gone = append(gone, path)
		}
		undone, errs = append(undone, path), append(errs, k.within(path, was[path].putBack))
	}
	return undone, errors.Join(errs...)
}

// released returns the files that still exist, but are no longer among those to keep, so that
// somebody may change them, such as those of a run that goes on.
func (k *Keeper) released(files []string) []string {
	now := k.files()
	return slices.DeleteFunc(slices.Clone(files), func(path string) bool {
		_, err := os.Lstat(path)
		return err != nil || slices.Contains(now, path)
	})
}

func (was snapshot) same(now snapshot) bool {
	if was.mode != now.mode || was.link != now.link || was.size != now.size {
		return false
	}
	if was.text == nil || now.text == nil {
		return was.touched.Equal(now.touched)
	}
	return bytes.Equal(was.text, now.text)
}

// within calls do with the folder of a path as a root, out of which no symlink can lead.
func (k *Keeper) within(path string, do func(root *os.Root, rel string) error) error {
	top := k.Root
	if !paths.Holds(top, path) {
		top = filepath.Dir(path)
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root, strings.TrimPrefix(path, top+"/"))
}

// putBack restores a path. A file is replaced by a new one, because the old one may have
// other names (hard links).
func (was snapshot) putBack(root *os.Root, rel string) error {
	if info, err := root.Lstat(rel); err == nil && (info.Mode().Type() != was.mode.Type() || was.link != "") {
		if err := root.RemoveAll(rel); err != nil {
			return err
		}
	}
	switch {
	case was.link != "":
		return root.Symlink(was.link, rel)
	case was.mode.IsDir():
		return errors.Join(root.MkdirAll(rel, was.mode.Perm()), root.Chmod(rel, was.mode.Perm()))
	case was.text == nil:
		return fmt.Errorf("%s: it is too long to be put back", rel)
	}
	whole := rel + ".flow-kept"
	err := errors.Join(root.MkdirAll(filepath.Dir(rel), 0o755), root.RemoveAll(whole))
	if err == nil {
		err = errors.Join(root.WriteFile(whole, was.text, 0o600), root.Chmod(whole, was.mode.Perm()), root.Chtimes(whole, was.modTime, was.modTime))
	}
	if err == nil {
		err = root.Rename(whole, rel)
	}
	if err != nil {
		return errors.Join(err, root.RemoveAll(whole))
	}
	return nil
}
