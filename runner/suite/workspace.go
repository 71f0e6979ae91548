package suite

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
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
	if from != "" {
		return copyFolder(from, dir)
	}
	to, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer to.Close()
	for name, content := range contents {
		err := to.MkdirAll(path.Dir(name), 0o700)
		if err == nil {
			err = to.WriteFile(name, []byte(content), 0o600)
		}
		if err != nil {
			return fmt.Errorf("files: %s: %w", name, paths.Cause(err))
		}
	}
	return nil
}

// withoutRuns hides the folders of flow's runs.
type withoutRuns struct{ fs.ReadLinkFS }

// ReadDir lists a folder.
func (w withoutRuns) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(w.ReadLinkFS, name)
	return slices.DeleteFunc(all, func(d fs.DirEntry) bool { return d.IsDir() && d.Name() == ".flow" }), err
}

// copyFolder copies the content of a folder. A symlink to something in the folder is copied as a
// symlink; one that leads out of it is an error. The folders of flow's runs are left out.
func copyFolder(folder, to string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	from := withoutRuns{root.FS().(fs.ReadLinkFS)}
	entries, bytes := 0, int64(0)
	err = fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = checkEntry(from, name, d, &bytes)
		}
		if entries++; entries > maxEntries+1 { // with the folder itself
			return fmt.Errorf("the folder %s has more than %d files", folder, maxEntries)
		}
		if err != nil {
			return fmt.Errorf("the folder %s: %s: %w", folder, name, paths.Cause(err))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return os.CopyFS(to, from)
}

// checkEntry returns why something in a folder can't be copied. It adds the size of a file.
func checkEntry(from fs.FS, name string, d fs.DirEntry, bytes *int64) error {
	switch d.Type() {
	case fs.ModeDir:
		return nil
	case fs.ModeSymlink:
		target, err := fs.ReadLink(from, name)
		if err == nil && (filepath.IsAbs(target) || !filepath.IsLocal(filepath.Join(filepath.Dir(name), target))) {
			err = fmt.Errorf("the symlink leads out of the folder, to %s", target)
		}
		return err
	case 0:
		info, err := d.Info()
		if err != nil {
			return err
		}
		if *bytes += info.Size(); *bytes > maxBytes {
			return fmt.Errorf("the files exceed %d MiB", maxBytes>>20)
		}
		return nil
	}
	return errors.New("it is neither a file nor a folder")
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
	file, err := paths.OpenRegularIn(root, name)
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
