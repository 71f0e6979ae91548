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

// A Keeper undoes what commands do to files that no rule opens, where the system
// opens the folder around them: what configures git in the workspace and names its
// hooks, and other files. They are looked at before and after each command. It is for
// commands that are not held, and safe for concurrent use; where two
// commands run side by side, the one that ends first is told of what both did.
type Keeper struct {
	Root  string          // the workspace: absolute, without links
	Files func() []string // others that never change, absolute; nil: there are none

	mu    sync.Mutex
	known map[string]kept // by path, when it was last looked at
}

// What is kept of all files, so that it can be put back.
const (
	mostKept     = 20_000   // files and folders
	mostKeptOf   = 4 << 20  // bytes of one file; of a longer one only the change is told
	mostKeptText = 64 << 20 // bytes of all
)

// kept is a file, a folder or a link as it was.
type kept struct {
	top     string // the path that has it looked at
	mode    fs.FileMode
	size    int64
	changed time.Time
	touched time.Time // which no program can set
	text    []byte    // of a file; nil where it is too long
	link    string
}

// keep looks at what a command must not change. What is returned undoes what it did
// there, and says so in words.
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
			return fmt.Sprintf("it changed %s, which no command may, and that could not be undone: %v", k.names(undone), err)
		}
		if len(undone) > 0 {
			return fmt.Sprintf("it changed %s, which no command may: that was undone", k.names(undone))
		}
		return ""
	}
}

// names are paths for a model.
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

// look returns what there is now, below folders that a command may change.
func (k *Keeper) look(write []string) map[string]kept {
	k.mu.Lock()
	defer k.mu.Unlock()
	found := map[string]kept{}
	left := mostKeptText
	for path, top := range k.paths() {
		if !slices.ContainsFunc(write, func(open string) bool { return folder.Holds(open, path) }) {
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

// see looks at one path, and reads it where it is not as it was.
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
		now.size, now.touched = 0, time.Time{} // what is in it is looked at by itself
	default:
		if was := k.known[path]; was.text != nil && was.mode == now.mode && was.size == now.size && was.touched.Equal(now.touched) && !recent(now.touched) {
			now.text = was.text
		} else if info.Size() <= mostKeptOf && info.Size() <= int64(*left) {
			now.text = readSame(path, info)
		}
		*left -= len(now.text)
	}
	return now, true
}

// readSame reads the file that was found at a path; nil where there is another now, of
// which a link could lead anywhere, and a pipe would never end.
func readSame(path string, found fs.FileInfo) []byte {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !os.SameFile(info, found) {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(f, mostKeptOf))
	return text
}

// recent reports whether a file may change again without its time telling: the clock
// of a file system is slow.
func recent(t time.Time) bool { return time.Since(t) < time.Second }

// paths are all that there are now, with the path that has each of them looked at.
func (k *Keeper) paths() map[string]string {
	git := filepath.Join(k.Root, ".git")
	all := map[string]string{git: git}
	add := func(path, top string) {
		if len(all) < mostKept {
			all[path] = top
		}
	}
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
	for _, top := range k.files() {
		_ = filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				add(path, top)
			}
			return nil
		})
	}
	return all
}

func (k *Keeper) files() []string {
	if k.Files == nil {
		return nil
	}
	return k.Files()
}

// configuresGit reports whether a path of a repository names programs that git runs,
// or says where the rest of it is.
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

// leadsToConfiguration reports whether a folder of a repository may have in it what
// configures one.
func leadsToConfiguration(own []string) bool {
	switch last := own[len(own)-1]; own[0] {
	case "modules", "worktrees":
		return last != "refs" && last != "logs" && !slices.Contains(own[:len(own)-1], "objects")
	case "objects":
		return len(own) == 1 || len(own) == 2 && last == "info"
	}
	return false
}

// undo puts back what is not as it was, and returns the paths of that.
func (k *Keeper) undo(was map[string]kept, tops, write []string) (undone []string, err error) {
	now := k.look(write)
	var errs []error
	for _, path := range folder.Outermost(k.made(was, now, tops)) {
		undone, errs = append(undone, path), append(errs, k.within(path, (*os.Root).RemoveAll))
	}
	for _, path := range slices.Sorted(maps.Keys(was)) { // folders before what is in them
		if same(was[path], now[path]) || k.letGo(was[path].top) {
			continue
		}
		undone, errs = append(undone, path), append(errs, k.within(path, was[path].putBack))
	}
	return undone, errors.Join(errs...)
}

// made are the paths that there were not, below those that were to be kept. A run that
// somebody else has begun is none, and a new repository keeps all but what configures it.
func (k *Keeper) made(was, now map[string]kept, tops []string) (all []string) {
	git := filepath.Join(k.Root, ".git")
	for path, f := range now {
		_, there := was[path]
		if !there && (slices.Contains(tops, f.top) || f.top == git) && (path != git || !f.mode.IsDir()) {
			all = append(all, path)
		}
	}
	return all
}

// letGo reports whether somebody works with a path who may: it is still there, and
// not among those that never change any more.
func (k *Keeper) letGo(top string) bool {
	if top == filepath.Join(k.Root, ".git") || slices.Contains(k.files(), top) {
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

// within does something to a path. No link leads out of the folder that it is in.
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

// putBack makes a path what it was.
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

// replace puts a file of its own in the place: the old one may be linked from
// elsewhere.
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
