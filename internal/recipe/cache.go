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

// A Cache keeps recipes by their hash, so that what a hash stands for is never
// changed. It is safe for concurrent use, also by several processes.
type Cache struct {
	// Dir is where it is, absolute; it may not be there yet.
	Dir string

	// Vendor is a folder that goes before it: flow_vendor beside a workflow. It may
	// not be there.
	Vendor string
}

// errAbsent is that a recipe is in no cache.
var errAbsent = errors.New("it is not there")

// Absent reports whether an error says that a recipe is not there.
func Absent(err error) bool { return errors.Is(err, errAbsent) }

// Get is the folder of a recipe, and its files, which have the hash: they are read and
// hashed now. An error for which [Absent] holds says that there is none.
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

// readKept reads the files of a folder of a cache, which have the hash that it is named by.
func readKept(dir string) (*Tree, error) {
	switch info, err := os.Lstat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the recipe in %s: %w", dir, errAbsent)
	case err != nil || !info.IsDir():
		return nil, fmt.Errorf("the recipe in %s: it is no folder", dir)
	}
	t, err := ReadFolder(dir, nil)
	if err != nil {
		return nil, fmt.Errorf("the recipe in %s: %w", dir, err)
	}
	if name, err := folderOf(t.Hash()); err != nil || name != filepath.Base(dir) {
		return nil, fmt.Errorf("the recipe in %s was changed: it has the hash %s; remove the folder, and it is fetched again", dir, t.Hash())
	}
	return t, nil
}

// Intact returns why the files of the fetched recipe that has a file are not what they
// were; nil also for a file that is the caller's own.
func Intact(file string) error {
	root := RootOf(file)
	if sum, err := hex.DecodeString(filepath.Base(root)); err != nil || len(sum) != sha256.Size {
		return nil // flow has fetched nothing there
	}
	_, err := readKept(root)
	return err
}

// Put keeps files, and returns their folder, which is theirs alone.
func (c Cache) Put(t *Tree) (dir string, err error) {
	if dir, _, err = c.Get(t.Hash()); !Absent(err) {
		return dir, err
	}
	return put(c.Dir, t)
}

// PutVendor keeps files in the folder that goes before the cache.
func (c Cache) PutVendor(t *Tree) (dir string, err error) {
	if dir, _, err = (Cache{Dir: c.Vendor}).Get(t.Hash()); !Absent(err) {
		return dir, err
	}
	return put(c.Vendor, t)
}

// put writes a folder beside its place, and moves it there when it is whole.
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

// unfinished is how the names of folders begin that are being written.
const unfinished = ".new-"

// sweep removes what was begun a day ago, and never finished: whoever wrote it was killed.
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
		return "", fmt.Errorf("%q is no hash of a recipe", hash)
	}
	return hex.EncodeToString(sum), nil
}
