package files

import (
	"bufio"
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

const (
	maxIgnoreBytes = 1 << 20 // of the patterns for one folder, from all .gitignore files
	maxIgnores     = 10_000  // patterns for one folder
	maxIgnoreStars = 8       // between two slashes of a pattern

	ignoresAtOnce = 64 // patterns between two checks of ctx
)

// ignorer knows what git ignores in one folder, by .git/info/exclude of the repository and
// each .gitignore from there down, or without a repository by these alone. It does not read
// the user's global excludes, and drops patterns beyond the limits. The zero value ignores
// nothing.
type ignorer struct {
	path     []string // of the folder, from the top where the patterns start
	patterns []gitignore.Pattern
	size     int  // bytes of all patterns
	cut      bool // patterns were dropped
}

// ignored reports whether git ignores a name in the folder. When ctx is done the result
// means nothing.
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

// enter returns the ignorer of the subfolder with that name.
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
	ig.patterns = slices.Clip(ig.patterns) // so that the ignorer of the folder above does not change
	ig.cut = ig.cut || info.Size() > maxIgnoreBytes
	lines := bufio.NewScanner(io.LimitReader(f, maxIgnoreBytes))
	for lines.Scan() {
		ig.add(lines.Text())
	}
	ig.cut = ig.cut || lines.Err() != nil // a line that is too long
	return ig
}

// add adds the pattern of a line, unless it is a comment or beyond a limit.
func (ig *ignorer) add(line string) {
	line = strings.TrimPrefix(strings.TrimSuffix(line, "\r"), "\uFEFF")
	if strings.TrimSpace(line) == "" || line[0] == '#' {
		return
	}
	if len(ig.patterns) >= maxIgnores || ig.size+len(line) > maxIgnoreBytes || starsOf(line) > maxIgnoreStars {
		ig.cut = true
		return
	}
	ig.size += len(line)
	ig.patterns = append(ig.patterns, gitignore.ParsePattern(line, ig.path))
}

// ignorer returns the ignorer of a folder that a call names. It leaves out patterns that
// would ignore that folder itself.
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

// top returns the folder where the patterns for a folder start: its repository, or else the
// root, or else the folder itself. Above the root only .gitignore files are read.
func (w *Workspace) top(real string) string {
	if repository := paths.Repository(real); repository != "" {
		return repository
	}
	if paths.Holds(w.path, real) {
		return w.path
	}
	return real
}
