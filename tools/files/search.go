package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

const (
	maxDepth = 256       // folders in folders
	maxFiles = 2_000_000 // of one search
)

var errTooMany = errors.New("too many files")

// search walks a folder, and visits its files sorted by name, without those that are
// ignored or not readable.
type search struct {
	w      *Workspace
	enters func(relative string) bool // whether to search a folder; nil says always
	files  int
	missed int  // how many folders and files could not be opened
	shown  bool // files that git ignores may have been visited, see [ignorer]
}

// found is a file that a search visits. folder is open only during the visit.
type found struct {
	folder   *os.Root
	name     string
	path     string // absolute
	relative string // from the folder where the search began, with slashes
}

// walk visits the files below a folder.
func (s *search) walk(ctx context.Context, real string, folder *os.Root, visit func(found) error) error {
	return s.visitFolder(ctx, found{folder: folder, path: real}, s.w.ignorer(ctx, real), 0, visit)
}

func (s *search) visitFolder(ctx context.Context, at found, ig ignorer, depth int, visit func(found) error) error {
	s.shown = s.shown || ig.cut
	entries, all, err := readFolder(ctx, at.folder, maxEntries)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.missed++
	}
	for _, e := range entries {
		here := found{at.folder, e.Name(), filepath.Join(at.path, e.Name()), path.Join(at.relative, e.Name())}
		wanted := s.wanted(ctx, here, e, ig)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !wanted {
			continue
		}
		if e.IsDir() {
			err = s.descend(ctx, here, ig, depth+1, visit)
		} else {
			err = s.visitFile(here, visit)
		}
		if err != nil {
			return err
		}
	}
	if err == nil && !all {
		return errTooMany
	}
	return nil
}

func (s *search) wanted(ctx context.Context, at found, e fs.DirEntry, ig ignorer) bool {
	switch {
	case e.IsDir():
		if at.name == ".git" || at.name == ".flow" || s.enters != nil && !s.enters(at.relative) {
			return false
		}
	case !e.Type().IsRegular():
		return false
	}
	return !ig.ignored(ctx, at.name, e.IsDir()) && s.w.readable(at.path)
}

func (s *search) visitFile(at found, visit func(found) error) error {
	if s.files++; s.files > maxFiles {
		return errTooMany
	}
	return visit(at)
}

// descend visits a folder, or counts it as missed if it can't be opened.
func (s *search) descend(ctx context.Context, at found, ig ignorer, depth int, visit func(found) error) error {
	if depth > maxDepth {
		s.missed++
		return nil
	}
	folder, err := enter(at.folder, at.name, false)
	if err != nil {
		s.missed++
		return nil
	}
	defer folder.Close()
	inside := ig.enter(at.name, folder)
	at.folder = folder
	return s.visitFolder(ctx, at, inside, depth, visit)
}
