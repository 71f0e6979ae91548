package recipe

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Cache keeps recipes by their hash, and never changes them. It is safe for concurrent use, also
// by several processes.
type Cache struct {
	// Dir is its folder, absolute. It need not exist yet.
	Dir string

	// Vendor is a folder that takes precedence: flow_vendor beside a workflow. It need not
	// exist.
	Vendor string
}

// errAbsent is the error for a recipe that is not in a cache.
var errAbsent = errors.New("it is not there")

// Absent reports whether an error says that a recipe is not in the cache.
func Absent(err error) bool { return errors.Is(err, errAbsent) }

// Get returns the folder of a recipe, and its files, which are read and hashed again. For the
// error of a recipe that is not in the cache, [Absent] is true.
func (c Cache) Get(hash string) (dir string, t *Tree, err error) {
	name, err := folderOf(hash)
	if err != nil {
		return "", nil, err
	}
	for _, at := range []string{c.Vendor, c.Dir} {
		dir := filepath.Join(at, name)
		if _, err := os.Lstat(dir); at == "" || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		t, err := readKept(dir)
		return dir, t, err
	}
	return "", nil, errAbsent
}

// readKept reads a folder of a cache. The files must have the hash in the folder's name.
func readKept(dir string) (*Tree, error) {
	switch info, err := os.Lstat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the recipe in %s: %w", dir, errAbsent)
	case err != nil || !info.IsDir():
		return nil, fmt.Errorf("the recipe in %s: it is not a folder", dir)
	}
	t, err := ReadFolder(dir, nil)
	if err != nil {
		return nil, fmt.Errorf("the recipe in %s: %w", dir, err)
	}
	if name, err := folderOf(t.Hash()); err != nil || name != filepath.Base(dir) {
		return nil, fmt.Errorf("the recipe in %s was changed: it has the hash %s; to fetch it again, remove the folder", dir, t.Hash())
	}
	return t, nil
}

// Intact returns an error if a file belongs to a fetched recipe that has changed since.
func Intact(file string) error {
	root := RootOf(file)
	if sum, err := hex.DecodeString(filepath.Base(root)); err != nil || len(sum) != sha256.Size {
		return nil // flow has fetched nothing there
	}
	_, err := readKept(root)
	return err
}

// Put adds files to the cache, and returns their folder.
func (c Cache) Put(t *Tree) (dir string, err error) {
	if dir, _, err = c.Get(t.Hash()); !Absent(err) {
		return dir, err
	}
	return put(c.Dir, t)
}

// put writes a temporary folder, and renames it when it is complete.
func put(at string, t *Tree) (string, error) {
	name, err := folderOf(t.Hash())
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(at, 0o755); err != nil {
		return "", err
	}
	sweep(at)
	temporary, err := os.MkdirTemp(at, unfinished)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temporary)
	if err := os.Chmod(temporary, 0o755); err != nil {
		return "", err
	}
	if err := t.write(temporary); err != nil {
		return "", err
	}
	dir := filepath.Join(at, name)
	if err := os.Rename(temporary, dir); err != nil {
		if _, _, there := (Cache{Dir: at}).Get(t.Hash()); there != nil {
			return "", err
		}
	}
	return dir, nil
}

// unfinished is the prefix of temporary folders.
const unfinished = ".new-"

// sweep removes temporary folders older than a day, whose writers were killed.
func sweep(at string) {
	begun, err := filepath.Glob(filepath.Join(at, unfinished+"*"))
	if err != nil {
		return
	}
	for _, dir := range begun {
		if info, err := os.Lstat(dir); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			os.RemoveAll(dir)
		}
	}
}

// folderOf names the folder of a hash.
func folderOf(hash string) (string, error) {
	encoded, ok := strings.CutPrefix(hash, "h1:")
	sum, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(sum) != sha256.Size {
		return "", fmt.Errorf("%q is not the hash of a recipe", hash)
	}
	return hex.EncodeToString(sum), nil
}
