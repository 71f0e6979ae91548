package suite

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// The limits of a workspace.
const (
	maxEntries = 20_000
	maxBytes   = 512 << 20
)

// makeWorkspace creates the workspace of a case, with its files.
func makeWorkspace(dir, from string, contents map[string]string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	to, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer to.Close()
	if from != "" {
		return copyFolder(from, to)
	}
	for name, content := range contents {
		if err := to.MkdirAll(path.Dir(name), 0o700); err != nil {
			return fmt.Errorf("files: %s: %w", name, paths.Cause(err))
		}
		if err := to.WriteFile(name, []byte(content), 0o600); err != nil {
			return fmt.Errorf("files: %s: %w", name, paths.Cause(err))
		}
	}
	return nil
}

// A copying is the state of copying one folder.
type copying struct {
	from, to *os.Root
	entries  int
	bytes    int64
}

// copyFolder copies the content of a folder. A symlink to something in the folder is copied as a
// symlink; one that leads out of it is an error. The folders of flow's runs are left out.
func copyFolder(folder string, to *os.Root) error {
	from, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer from.Close()
	c := &copying{from: from, to: to}
	return fs.WalkDir(from.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if d.IsDir() && d.Name() == ".flow" {
			return fs.SkipDir
		}
		if c.entries++; c.entries > maxEntries {
			return fmt.Errorf("the folder %s has more than %d files", folder, maxEntries)
		}
		if err := c.entry(name, d); err != nil {
			return fmt.Errorf("the folder %s: %s: %w", folder, name, paths.Cause(err))
		}
		return nil
	})
}

// entry copies one file, folder or symlink.
func (c *copying) entry(name string, d fs.DirEntry) error {
	switch d.Type() {
	case fs.ModeDir:
		return c.to.Mkdir(name, 0o700)
	case fs.ModeSymlink:
		target, err := c.from.Readlink(name)
		if err != nil {
			return err
		}
		if filepath.IsAbs(target) || !filepath.IsLocal(filepath.Join(filepath.Dir(name), target)) {
			return fmt.Errorf("the symlink leads out of the folder, to %s", target)
		}
		return c.to.Symlink(target, name)
	case 0:
		return c.file(name)
	}
	return errors.New("it is neither a file nor a folder")
}

// file copies a regular file. An executable file stays executable.
func (c *copying) file(name string) (err error) {
	from, err := c.from.Open(name)
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	to, err := c.to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600|info.Mode()&0o100)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	n, err := io.Copy(to, io.LimitReader(from, maxBytes-c.bytes+1))
	if c.bytes += n; c.bytes > maxBytes {
		return fmt.Errorf("the files exceed %d MiB", maxBytes>>20)
	}
	return err
}

// maxSeen is the maximum size of a compared file, and of all files that an expression sees together.
const maxSeen = 64 << 20

// readSeen reads a file of a workspace. For a missing file the error is [fs.ErrNotExist].
func readSeen(dir, name string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	return readIn(root, name, maxSeen)
}

// readIn reads a regular file in a folder.
func readIn(root *os.Root, name string, most int64) (string, error) {
	info, err := root.Stat(name)
	if err != nil {
		return "", paths.Cause(err)
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is not a regular file")
	}
	file, err := root.Open(name)
	if err != nil {
		return "", paths.Cause(err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("it exceeds %d MiB", most>>20)
	}
	return string(data), err
}

// allSeen reads all regular files of a workspace but those of git, by their paths.
func allSeen(dir string) (map[string]any, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	files := map[string]any{}
	left := int64(maxSeen)
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || strings.HasPrefix(name, ".flow/")):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		case len(files) == maxEntries:
			return fmt.Errorf("there are more than %d files", maxEntries)
		}
		text, err := readIn(root, name, left)
		files[name] = text
		left -= int64(len(text))
		return err
	})
	return files, err
}
