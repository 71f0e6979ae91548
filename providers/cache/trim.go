package cache

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Size is the size of a store.
type Size struct {
	Answers int
	Bytes   int64
}

// A stored is one file of the store.
type stored struct {
	path string
	size int64
	used time.Time // to the hour
}

// Size returns the size of the store.
func (s *Store) Size() (size Size, err error) {
	files, err := s.list()
	for _, f := range files {
		size.Bytes += f.size
		if strings.HasSuffix(f.path, "-a") {
			size.Answers++
		}
	}
	return size, err
}

// Trim removes entries that were unused for a time, and then the least recently used ones,
// until the store has at most most bytes; Trim(0, 0) empties it. The store may be in use
// meanwhile.
func (s *Store) Trim(unused time.Duration, most int64) error {
	files, err := s.list()
	if err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b stored) int { return a.used.Compare(b.used) })
	total := int64(0)
	for _, f := range files {
		total += f.size
	}
	var failed error
	oldest := s.options.Now().Add(-unused)
	for _, f := range files {
		if total <= most && f.used.After(oldest) {
			break
		}
		if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = cmp.Or(failed, err)
			continue
		}
		total -= f.size
	}
	return failed
}

// list returns the files of entries, and no other files in the folder.
func (s *Store) list() (files []stored, err error) {
	err = filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed meanwhile
			return nil
		case err != nil:
			return err
		case !d.Type().IsRegular() || !strings.HasSuffix(name, "-a") && !strings.HasSuffix(name, "-d"):
			return nil
		}
		if info, err := d.Info(); err == nil {
			files = append(files, stored{path, info.Size(), info.ModTime()})
		}
		return nil
	})
	return files, err
}
