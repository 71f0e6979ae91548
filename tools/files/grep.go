package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/sourcegraph/conc/stream"

	"github.com/a-seed-11b9befa/flow/tools"
)

const (
	grepTime   = 60 * time.Second
	maxMatches = 10_000 // lines
)

type grepArguments struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
	Include string `json:"include"`
}

func (w *Workspace) grep(ctx context.Context, a grepArguments, out *tools.Output) (tools.Result, error) {
	expression, err := compileLine(a.Pattern)
	if err != nil {
		return tools.Fail(err)
	}
	include := strings.TrimPrefix(a.Include, "./")
	if err := checkPattern(include); err != nil {
		return tools.Fail(fmt.Errorf("include %w", err))
	}
	expression.hide = out.Hide
	g := grep{search: search{w: w}, expression: expression, include: include, out: out}
	limited, cancel := context.WithTimeoutCause(ctx, grepTime, errTime)
	defer cancel()
	refused, err := g.searchPath(limited, a.Path)
	switch {
	case refused != nil:
		return tools.Fail(refused)
	case ctx.Err() != nil:
		return tools.Result{}, ctx.Err()
	case limited.Err() != nil:
		err = errTime
	}
	return tools.Result{Note: g.note(err)}, nil
}

var (
	errTime    = errors.New("the time is up")
	errMatches = errors.New("too many matches")
)

// grep is one search for lines.
type grep struct {
	search
	expression *lineExpression
	include    string
	out        *tools.Output
	matches    int
	long       int // how many lines were too long to be searched whole
}

// searchPath searches a folder or a file, even if git ignores that. refused is why nothing was searched.
func (g *grep) searchPath(ctx context.Context, path string) (refused, err error) {
	real, folder, err := g.w.openFolder(path)
	if err == nil {
		defer folder.Close()
		return nil, g.searchFolder(ctx, real, folder)
	}
	f, fileErr := g.w.openFile(path)
	if fileErr != nil {
		if errors.Is(fileErr, errFolder) {
			fileErr = err
		}
		return fileErr, nil
	}
	defer f.Close()
	lines, long, err := g.expression.search(ctx, f, g.w.extra(f.path), maxMatches)
	g.long += long
	if errors.Is(err, errBinary) {
		return fmt.Errorf("%q is a binary file", path), nil
	}
	return nil, cmp.Or(g.print(g.w.shown(f.path), lines), err)
}

// searchFolder searches several files at a time, and prints the matches in the order of
// the files.
func (g *grep) searchFolder(ctx context.Context, real string, folder *os.Root) (err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	files := stream.New().WithMaxGoroutines(runtime.GOMAXPROCS(0))
	err = g.walk(ctx, real, folder, func(found found) error {
		if ctx.Err() != nil || !g.includes(found) {
			return ctx.Err()
		}
		f, _, err := open(found.folder, found.name)
		if err != nil {
			g.missed++
			return nil
		}
		name := g.w.shown(found.path)
		extra := g.w.extra(found.path)
		files.Go(func() stream.Callback {
			defer f.Close()
			lines, long, _ := g.expression.search(ctx, f, extra, maxMatches)
			return func() {
				if ctx.Err() != nil {
					return
				}
				g.long += long
				if err := g.print(name, lines); err != nil {
					stop(err)
				}
			}
		})
		return nil
	})
	files.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// includes reports whether a file is to be searched. A pattern without a slash matches
// names, one with a slash paths.
func (g *grep) includes(f found) bool {
	switch {
	case g.include == "":
		return true
	case strings.Contains(g.include, "/"):
		return doublestar.MatchUnvalidated(g.include, f.relative)
	}
	return doublestar.MatchUnvalidated(g.include, f.name)
}

func (g *grep) print(name string, lines []matchedLine) error {
	for _, line := range lines {
		if g.matches++; g.matches > maxMatches {
			return errMatches
		}
		if _, err := fmt.Fprintf(g.out, "%s:%d: %s\n", oneLine(name), line.number, line.text); err != nil {
			return err
		}
	}
	return nil
}

// note returns what the search did not find, and what it did not look at.
func (g *grep) note(err error) string {
	switch {
	case errors.Is(err, errTime):
		return fmt.Sprintf("Stopped after %v; a smaller path, an include or a pattern that starts with plain text is faster.", grepTime)
	case errors.Is(err, errMatches):
		return fmt.Sprintf("Stopped after %d lines; a smaller path or a closer pattern gives fewer.", maxMatches)
	}
	found := ""
	if g.matches == 0 {
		found = "No line matches."
	}
	if g.long > 0 {
		found += fmt.Sprintf(" Of lines longer than %d bytes no more was searched: %d.", longestLine, g.long)
	}
	return g.search.note(err, found)
}
