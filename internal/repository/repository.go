// Package repository finds the parts of a git repository, without git. What it reads is not
// trusted: [Repository.Check] says whether the parts belong together.
package repository

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// Repository is a working tree and where the rest of its repository is. The paths are
// absolute and without symlinks.
type Repository struct {
	Top    string // the working tree
	Git    string // the git directory of the working tree: HEAD, index
	Common string // objects and references: Git, but for a linked working tree
}

// Around returns the repository whose working tree a folder is in. Like git, it does not
// look on another file system. ok is false if there is none, or if it can't be read.
func Around(dir string) (r Repository, ok bool) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	for err == nil && !isGit(dir) {
		if git := gitDir(filepath.Join(dir, ".git")); git != "" {
			r = Repository{Top: dir, Git: git, Common: git}
			if named := Line(filepath.Join(git, "commondir")); named != "" {
				r.Common, err = filepath.EvalSymlinks(paths.In(git, named))
			}
			return r, err == nil
		}
		above := filepath.Dir(dir)
		if above == dir || device(above) != device(dir) {
			break
		}
		dir = above
	}
	return Repository{}, false
}

// gitDir is the folder .git, or the one that a file .git names; "" if neither is one of git.
func gitDir(dot string) string {
	info, err := os.Stat(dot)
	if err != nil {
		return ""
	}
	at := dot
	if !info.IsDir() {
		named, is := strings.CutPrefix(Line(dot), "gitdir: ")
		if !is {
			return ""
		}
		at = paths.In(filepath.Dir(dot), named)
	}
	at, err = filepath.EvalSymlinks(at)
	if _, headErr := os.Lstat(filepath.Join(at, "HEAD")); err != nil || headErr != nil {
		return ""
	}
	return at
}

// isGit reports whether a folder is itself one of git, in which there is no working tree.
func isGit(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// Check returns an error unless the git directory says itself that it belongs to the working
// tree, or is one for some working tree, by its name and settings, and of the same user: a
// file .git, which anybody may have written, is not enough.
func (r Repository) Check() error {
	dot := filepath.Join(r.Top, ".git")
	if r.Git != r.Common {
		if filepath.Dir(r.Git) != filepath.Join(r.Common, "worktrees") || !sameFile(paths.In(r.Git, Line(filepath.Join(r.Git, "gitdir"))), dot) {
			return fmt.Errorf("%s has no working tree in %s", r.Common, r.Top)
		}
		return nil
	}
	if r.Git == dot {
		return nil
	}
	core := coreSettings(filepath.Join(r.Git, "config"))
	if tree := core["worktree"]; tree != "" {
		if !sameFile(paths.In(r.Git, tree), r.Top) {
			return fmt.Errorf("%s belongs to the working tree %s", r.Git, tree)
		}
		return nil
	}
	if filepath.Base(r.Git) == ".git" || core["bare"] != "false" || Owner(r.Git) != Owner(r.Top) {
		return fmt.Errorf("%s does not say that it belongs to %s", r.Git, r.Top)
	}
	return nil
}

// Tree returns the working tree to which a git directory says that it belongs, or "".
func Tree(git string) string {
	tree := ""
	if dot := Line(filepath.Join(git, "gitdir")); dot != "" {
		tree = filepath.Dir(paths.In(git, dot))
	} else if named := coreSettings(filepath.Join(git, "config"))["worktree"]; named != "" {
		tree = paths.In(git, named)
	} else if filepath.Base(git) == ".git" {
		tree = filepath.Dir(git)
	}
	if real, err := filepath.EvalSymlinks(tree); err == nil && tree != "" {
		return real
	}
	return tree
}

// Hooks returns the folders that core.hooksPath names in the settings of the repository, of its
// user, whose home folder is given, and of the system.
func (r Repository) Hooks(home string) (folders []string) {
	for _, file := range r.settings(home) {
		if named := coreSettings(file)["hookspath"]; named != "" {
			folders = append(folders, pathOf(named, r.Top, home))
		}
	}
	return folders
}

// Included returns the files that these settings include, whatever the condition is, and whether
// they are there or not.
func (r Repository) Included(home string) []string {
	return r.settings(home)[len(r.ownSettings(home)):]
}

// maxSettings is how many files of settings are known.
const maxSettings = 100

// settings returns the files of settings: its own, and those that they include.
func (r Repository) settings(home string) []string {
	all := r.ownSettings(home)
	for i := 0; i < len(all); i++ {
		for _, s := range readSettings(all[i]) {
			if s.name != "path" || !strings.HasPrefix(s.section, "include") || s.value == "" {
				continue
			}
			if file := pathOf(s.value, filepath.Dir(all[i]), home); len(all) < maxSettings && !slices.Contains(all, file) {
				all = append(all, file)
			}
		}
	}
	return all
}

// pathOf returns the path that a setting has, from a folder.
func pathOf(value, dir, home string) string {
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return paths.In(dir, value)
}

// ownSettings returns the files of settings that need no other one to name them.
func (r Repository) ownSettings(home string) []string {
	files := []string{"/etc/gitconfig"}
	if r.Git != "" {
		files = append(files, filepath.Join(r.Common, "config"), filepath.Join(r.Git, "config.worktree"))
	}
	if home != "" {
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config"))
	}
	return files
}

// Owner returns the user to whom a path belongs; -1 if that is not known.
func Owner(path string) int {
	if info, err := os.Lstat(path); err == nil {
		if system, ok := info.Sys().(*syscall.Stat_t); ok {
			return int(system.Uid)
		}
	}
	return -1
}

func device(path string) uint64 {
	if info, err := os.Lstat(path); err == nil {
		if system, ok := info.Sys().(*syscall.Stat_t); ok {
			return uint64(system.Dev)
		}
	}
	return 0
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(x, y)
}

// setting is one line of a file of git's configuration: the names in lower case, the value without
// quotes around it.
type setting struct{ section, name, value string }

// readSettings returns the settings in a file of git's configuration.
func readSettings(file string) (all []setting) {
	section := ""
	for line := range strings.Lines(readSmall(file)) {
		line = strings.TrimSpace(line)
		if header, ok := strings.CutPrefix(line, "["); ok {
			section, line, _ = strings.Cut(header, "]")
			section = strings.ToLower(section)
		}
		if name, text, found := strings.Cut(line, "="); found {
			all = append(all, setting{section, strings.ToLower(strings.TrimSpace(name)), strings.Trim(strings.TrimSpace(text), `"`)})
		}
	}
	return all
}

// coreSettings returns the settings of the section core in a file of git's configuration.
func coreSettings(file string) map[string]string {
	settings := map[string]string{}
	for _, s := range readSettings(file) {
		if s.section == "core" {
			settings[s.name] = s.value
		}
	}
	return settings
}

// Line returns the only line of a small file; "" for any other.
func Line(name string) string { return strings.TrimRight(readSmall(name), "\r\n") }

func readSmall(name string) string {
	const maxSize = 64 << 10
	file, err := paths.OpenRegular(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err != nil || len(text) > maxSize {
		return ""
	}
	return string(text)
}
