package files

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/a-seed-11b9befa/flow/tools"
)

// maxFound is how many files one glob returns.
const maxFound = 100_000

type globArguments struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
}

func (w *Workspace) glob(ctx context.Context, a globArguments, out *tools.Output) (tools.Result, error) {
	real, folder, err := w.openFolder(a.Path)
	if err != nil {
		return tools.Fail(err)
	}
	defer folder.Close()
	pattern, err := w.pattern(a.Pattern, real)
	if err != nil {
		return tools.Fail(err)
	}
	number := 0
	s := search{w: w, enters: leadsTo(pattern)}
	err = s.walk(ctx, real, folder, func(f found) error {
		if !doublestar.MatchUnvalidated(pattern, f.relative) {
			return nil
		}
		if number++; number > maxFound {
			return errTooMany
		}
		_, err := fmt.Fprintln(out, oneLine(w.shown(f.path)))
		return err
	})
	if err != nil && !errors.Is(err, errTooMany) {
		return tools.Result{}, err
	}
	return tools.Result{Note: s.note(err, globbed(number, a.Pattern))}, nil
}

// globbed returns a note if no file matches, with a pattern that might.
func globbed(number int, pattern string) string {
	switch {
	case number > 0:
		return ""
	case strings.Contains(pattern, "/"):
		return fmt.Sprintf("No file fits %q.", pattern)
	}
	return fmt.Sprintf("No file fits %q; %q looks in all folders.", pattern, "**/"+pattern)
}

// note adds to a note what the search did not look at.
func (s *search) note(err error, found string) string {
	notes := []string{found}
	if errors.Is(err, errTooMany) {
		notes = append(notes, "There are more files than a search looks at; name a smaller folder.")
	}
	if s.missed > 0 {
		notes = append(notes, fmt.Sprintf("What could not be opened was passed over: %d.", s.missed))
	}
	if s.shown {
		notes = append(notes, "Not all patterns of .gitignore were read: they are too many, or too long.")
	}
	return strings.TrimSpace(strings.Join(notes, " "))
}

// pattern returns a pattern relative to the folder where the search starts.
func (w *Workspace) pattern(pattern, real string) (string, error) {
	if filepath.IsAbs(pattern) {
		rest, ok := strings.CutPrefix(pattern, strings.TrimSuffix(real, "/")+"/")
		if !ok {
			return "", fmt.Errorf("the pattern %q does not start in the folder that is searched; name another path", pattern)
		}
		pattern = rest
	}
	if strings.Contains("/"+pattern+"/", "/../") {
		return "", fmt.Errorf("the pattern %q leads out of the folder that is searched; name another path", pattern)
	}
	pattern = path.Clean(pattern)
	if err := checkPattern(pattern); err != nil {
		return "", fmt.Errorf("the pattern %w", err)
	}
	return pattern, nil
}

// leadsTo returns a function that reports whether a folder is above or below the part of a
// pattern without wildcards.
func leadsTo(pattern string) func(relative string) bool {
	base, _ := doublestar.SplitPattern(pattern)
	return func(relative string) bool {
		return base == "." || strings.HasPrefix(base+"/", relative+"/") || strings.HasPrefix(relative+"/", base+"/")
	}
}
