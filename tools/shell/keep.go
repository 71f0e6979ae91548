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

	"github.com/a-seed-11b9befa/flow/internal/folder"
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

	mu    sync.Mutex
	known map[string]kept // the last state, by path
}

// Limits of what is kept to be put back.
const (
	maxKept     = 20_000   // files and folders
	maxKeptFile = 4 << 20  // bytes of one file; changes to a longer one are only reported
	maxKeptText = 64 << 20 // bytes of all files
)

// kept is the state of a file, a folder or a symlink.
type kept struct {
	top     string // the path because of which it is kept; "" for a folder around one
	mode    fs.FileMode
	size    int64
	changed time.Time
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
	tops := k.files()
	was := k.look(c.Sandbox.Write)
	return func() string {
		undone, err := k.undo(was, tops, c.Sandbox.Write)
		if err != nil {
			return fmt.Sprintf("the command changed %s, which no command may change, and flow could not undo that: %v", k.names(undone), err)
		}
		if len(undone) > 0 {
			return fmt.Sprintf("the command changed %s, which no command may change, and flow has undone that", k.names(undone))
		}
		return ""
	}
}

// names formats paths for a model.
func (k *Keeper) names(paths []string) string {
	const most = 8
	var all []string
	for _, path := range paths[:min(len(paths), most)] {
		all = append(all, strings.TrimPrefix(path, k.Root+"/"))
	}
	if len(paths) > most {
		all = append(all, fmt.Sprintf("%d more", len(paths)-most))
	}
	return strings.Join(all, ", ")
}

// look returns the current state of the paths that are in folders open for writing.
func (k *Keeper) look(write []string) map[string]kept {
	k.mu.Lock()
	defer k.mu.Unlock()
	found := map[string]kept{}
	left := maxKeptText
	for path, top := range k.paths() {
		if !folder.AnyHolds(write, path) {
			continue
		}
		if now, ok := k.see(path, &left); ok {
			now.top = top
			found[path] = now
		}
	}
	k.known = found
	return found
}

// see returns the state of one path. It reads a file only if that has changed.
func (k *Keeper) see(path string, left *int) (now kept, ok bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return kept{}, false
	}
	now = kept{mode: info.Mode(), size: info.Size(), changed: info.ModTime(), touched: touched(info)}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		now.link, _ = os.Readlink(path)
	case !info.Mode().IsRegular():
		now.size, now.touched = 0, time.Time{} // the contents of a folder are paths of their own
	default:
		if was := k.known[path]; was.text != nil && was.mode == now.mode && was.size == now.size && was.touched.Equal(now.touched) && !recent(now.touched) {
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

// recent reports whether a file may change again and keep its time: the clock of a file
// system is coarse.
func recent(t time.Time) bool { return time.Since(t) < time.Second }

// paths returns all existing paths to keep, each with the path because of which it is kept.
func (k *Keeper) paths() map[string]string {
	all := map[string]string{}
	add := func(path, top string) {
		if len(all) < maxKept {
			all[path] = top
		}
	}
	for _, git := range k.git() {
		all[git] = git
		_ = filepath.WalkDir(git, func(path string, entry fs.DirEntry, err error) error {
			rel, _ := filepath.Rel(git, path)
			own := strings.Split(rel, string(filepath.Separator))
			switch {
			case err != nil || rel == ".":
			case configuresGit(own):
				add(path, git)
			case entry.IsDir() && !leadsToConfiguration(own):
				return fs.SkipDir
			}
			return nil
		})
	}
	for _, top := range k.files() {
		_ = filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				add(path, top)
			}
			return nil
		})
		if _, ok := all[top]; !ok {
			continue
		}
		for dir := filepath.Dir(top); dir != k.Root && folder.Holds(k.Root, dir); dir = filepath.Dir(dir) {
			if _, ok := all[dir]; !ok {
				add(dir, "") // its other contents may change
			}
		}
	}
	return all
}

// git returns the git directories, and the files that name one.
func (k *Keeper) git() []string { return append([]string{filepath.Join(k.Root, ".git")}, k.Git...) }

func (k *Keeper) files() []string {
	if k.Files == nil {
		return nil
	}
	return k.Files()
}

// configuresGit reports whether a path in .git names programs that git runs, or says where
// other parts of the repository are.
func configuresGit(own []string) bool {
	switch own[0] {
	case "config", "config.worktree", "commondir", "gitdir", "hooks", "info":
		return true
	case "objects":
		return len(own) == 3 && own[1] == "info" && strings.Contains(own[2], "alternates")
	case "modules", "worktrees": // a module's name may hold slashes
		for i := 2; i < len(own); i++ {
			if own[i] != "info" && configuresGit(own[i:]) {
				return true
			}
		}
	}
	return false
}

// leadsToConfiguration reports whether a folder in .git may hold a path that configures
// git.
func leadsToConfiguration(own []string) bool {
	switch last := own[len(own)-1]; own[0] {
	case "modules", "worktrees":
		return last != "refs" && last != "logs" && !slices.Contains(own[:len(own)-1], "objects")
	case "objects":
		return len(own) == 1 || len(own) == 2 && last == "info"
	}
	return false
}

// undo restores the state before the command, and returns the paths that had changed.
func (k *Keeper) undo(was map[string]kept, tops, write []string) (undone []string, err error) {
	now := k.look(write)
	var errs []error
	for _, path := range folder.Outermost(k.made(was, now, tops)) {
		undone, errs = append(undone, path), append(errs, k.within(path, (*os.Root).RemoveAll))
	}
	var gone []string                                    // folders that are none now; what is in them was found through a symlink in their place
	for _, path := range slices.Sorted(maps.Keys(was)) { // folders before what is in them
		if same(was[path], now[path]) && !folder.AnyHolds(gone, path) || k.letGo(was[path].top) {
			continue
		}
		if was[path].mode.IsDir() && !now[path].mode.IsDir() {
			gone = append(gone, path)
		}
		undone, errs = append(undone, path), append(errs, k.within(path, was[path].putBack))
	}
	return undone, errors.Join(errs...)
}

// made returns the new paths below those that were kept. It leaves out the files of a run
// that somebody else has begun, and a new .git, of which only what configures git goes.
func (k *Keeper) made(was, now map[string]kept, tops []string) (all []string) {
	git := k.git()
	for path, f := range now {
		_, there := was[path]
		if !there && (slices.Contains(tops, f.top) || slices.Contains(git, f.top)) && (!slices.Contains(git, path) || !f.mode.IsDir()) {
			all = append(all, path)
		}
	}
	return all
}

// letGo reports whether a path still exists, but is no longer among those to keep, so that
// somebody may change it.
func (k *Keeper) letGo(top string) bool {
	if slices.Contains(k.git(), top) || slices.Contains(k.files(), top) {
		return false
	}
	_, err := os.Lstat(top)
	return err == nil
}

func same(a, b kept) bool {
	if a.mode != b.mode || a.link != b.link || a.size != b.size {
		return false
	}
	if a.text == nil || b.text == nil {
		return a.touched.Equal(b.touched)
	}
	return bytes.Equal(a.text, b.text)
}

// within calls do with the folder of a path as a root, out of which no symlink can lead.
func (k *Keeper) within(path string, do func(root *os.Root, rel string) error) error {
	top := k.Root
	if !folder.Holds(top, path) {
		top = filepath.Dir(path)
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return err
	}
	defer root.Close()
	rel, err := filepath.Rel(top, path)
	if err != nil {
		return err
	}
	return do(root, rel)
}

// putBack restores a path.
func (was kept) putBack(root *os.Root, rel string) error {
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
	case !was.mode.IsRegular():
		return fmt.Errorf("%s: a special file is gone", rel)
	case was.text == nil:
		return fmt.Errorf("%s: it is too long to be put back", rel)
	}
	return was.replace(root, rel)
}

// replace puts a new file in the place: the old one may have other names (hard links).
func (was kept) replace(root *os.Root, rel string) error {
	whole := rel + ".flow-kept"
	if err := root.RemoveAll(whole); err != nil {
		return err
	}
	err := errors.Join(root.WriteFile(whole, was.text, 0o600), root.Chmod(whole, was.mode.Perm()), root.Chtimes(whole, was.changed, was.changed))
	if err == nil {
		err = root.Rename(whole, rel)
	}
	if err != nil {
		return errors.Join(err, root.RemoveAll(whole))
	}
	return nil
}
