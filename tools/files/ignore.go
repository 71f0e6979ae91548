package files

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"github.com/a-seed-11b9befa/flow/internal/folder"
)

const (
	mostIgnoreBytes = 1 << 20 // of the patterns that hold in one folder, from all its .gitignore files
	mostIgnores     = 10_000  // patterns, likewise
	mostIgnoreStars = 8       // between two slashes of one
	mostAbove       = 64      // folders between the root and its repository

	ignoresAtOnce = 64 // patterns that are tried before ctx is looked at
)

// An ignorer knows what git ignores in one folder: .git/info/exclude of the
// repository, and each .gitignore from there down, also where there is no
// repository. The user's own global excludes are not read. Patterns beyond the
// bounds are left out. The zero value ignores nothing.
type ignorer struct {
	path     []string // of the folder, from the top that the patterns start at
	patterns []gitignore.Pattern
	size     int  // bytes of the lines that the patterns were made from
	cut      bool // patterns were left out
}

// ignored reports whether git ignores what has that name in the folder. When
// ctx has ended it may say so of anything.
func (ig ignorer) ignored(ctx context.Context, name string, isDir bool) bool {
	if len(ig.patterns) == 0 {
		return false
	}
	path := ig.child(name)
	for i, p := range slices.Backward(ig.patterns) {
		if i%ignoresAtOnce == 0 && ctx.Err() != nil {
			return true
		}
		if match := p.Match(path, isDir); match != gitignore.NoMatch {
			return match == gitignore.Exclude
		}
	}
	return false
}

func (ig ignorer) child(name string) []string {
	return append(slices.Clone(ig.path), name)
}

// enter returns what is ignored in the folder of that name.
func (ig ignorer) enter(name string, folder *os.Root) ignorer {
	ig.path = ig.child(name)
	return ig.with(folder, ".gitignore")
}

// with adds the patterns of a file, if there is one.
func (ig ignorer) with(folder *os.Root, name string) ignorer {
	f, info, err := open(folder, name)
	if err != nil {
		return ig
	}
	defer f.Close()
	ig.patterns = slices.Clip(ig.patterns) // those of the folder above stay as they are
	ig.cut = ig.cut || info.Size() > mostIgnoreBytes
	lines := bufio.NewScanner(io.LimitReader(f, mostIgnoreBytes))
	for lines.Scan() {
		ig.add(lines.Text())
	}
	ig.cut = ig.cut || lines.Err() != nil // a line that is too long
	return ig
}

// add adds the pattern of a line, unless it is a comment or over a bound.
func (ig *ignorer) add(line string) {
	line = strings.TrimPrefix(strings.TrimSuffix(line, "\r"), "\uFEFF")
	if strings.TrimSpace(line) == "" || line[0] == '#' {
		return
	}
	if len(ig.patterns) >= mostIgnores || ig.size+len(line) > mostIgnoreBytes || starsOf(line) > mostIgnoreStars {
		ig.cut = true
		return
	}
	ig.size += len(line)
	ig.patterns = append(ig.patterns, gitignore.ParsePattern(line, ig.path))
}

// ignorer returns what is ignored in a folder that a call names, wherever it
// is. What would ignore that folder itself is left out.
func (w *Workspace) ignorer(ctx context.Context, real string) ignorer {
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
		child := ig.child(name)
		ig.patterns = slices.DeleteFunc(slices.Clone(ig.patterns), func(p gitignore.Pattern) bool {
			return ctx.Err() != nil || p.Match(child, true) == gitignore.Exclude
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
	if folder.Holds(w.path, real) {
		return w.path
	}
	return real
}
