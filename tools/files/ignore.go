package files

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

const (
	mostIgnoreBytes = 1 << 20 // of one .gitignore
	mostAbove       = 64      // folders between the root and its repository
)

// An ignorer knows what git ignores in one folder: .git/info/exclude of the
// repository, and each .gitignore from there down, also where there is no
// repository. The user's own global excludes are not read. The zero value
// ignores nothing.
type ignorer struct {
	path     []string // of the folder, from the top that the patterns start at
	patterns []gitignore.Pattern
}

// ignored reports whether git ignores what has that name in the folder.
func (ig ignorer) ignored(name string, isDir bool) bool {
	return len(ig.patterns) > 0 && gitignore.NewMatcher(ig.patterns).Match(ig.child(name), isDir)
}

func (ig ignorer) child(name string) []string {
	return append(slices.Clone(ig.path), name)
}

// enter returns what is ignored in the folder of that name.
func (ig ignorer) enter(name string, folder *os.Root) ignorer {
	return ignorer{path: ig.child(name), patterns: ig.patterns}.with(folder, ".gitignore")
}

// with adds the patterns of a file, if there is one.
func (ig ignorer) with(folder *os.Root, name string) ignorer {
	f, _, err := open(folder, name)
	if err != nil {
		return ig
	}
	defer f.Close()
	patterns := slices.Clip(ig.patterns)
	lines := bufio.NewScanner(io.LimitReader(f, mostIgnoreBytes))
	for lines.Scan() {
		line := strings.TrimSuffix(lines.Text(), "\r")
		if line = strings.TrimPrefix(line, "\uFEFF"); strings.TrimSpace(line) != "" && line[0] != '#' {
			patterns = append(patterns, gitignore.ParsePattern(line, ig.path))
		}
	}
	ig.patterns = patterns
	return ig
}

// ignorer returns what is ignored in a folder that a call names, wherever it
// is. What would ignore that folder itself is left out.
func (w *Workspace) ignorer(real string) ignorer {
	top := w.top(real)
	folder, err := w.folder(top, false)
	if err != nil {
		return ignorer{}
	}
	ig := ignorer{}.withExcludes(folder).with(folder, ".gitignore")
	for _, name := range split(real[len(top):]) {
		next, err := enter(folder, name, false)
		folder.Close()
		if err != nil {
			return ignorer{}
		}
		folder = next
		ig.patterns = slices.DeleteFunc(slices.Clone(ig.patterns), func(p gitignore.Pattern) bool {
			return p.Match(ig.child(name), true) == gitignore.Exclude
		})
		ig = ig.enter(name, folder)
	}
	folder.Close()
	return ig
}

// withExcludes adds .git/info/exclude.
func (ig ignorer) withExcludes(repository *os.Root) ignorer {
	git, err := enter(repository, ".git", false)
	if err != nil {
		return ig
	}
	defer git.Close()
	info, err := enter(git, "info", false)
	if err != nil {
		return ig
	}
	defer info.Close()
	return ig.with(info, "exclude")
}

// top returns the folder of the repository that a folder is in, else the root,
// else the folder itself. Above the root nothing but .gitignore is read.
func (w *Workspace) top(real string) string {
	at := real
	for range mostAbove {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if parent := filepath.Dir(at); parent != at {
			at = parent
		}
	}
	if within(real, w.path) {
		return w.path
	}
	return real
}
