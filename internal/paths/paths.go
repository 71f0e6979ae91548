// Package paths has functions over paths that many packages need: joining and resolving
// them, and errors that do not repeat them.
package paths

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// In returns a path that starts in folder, clean. For "" it is the folder itself.
func In(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// FromHere is an absolute path as a person is shown it: from the current folder, where it
// lies in that.
func FromHere(path string) string {
	if here, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// Same reports whether two paths lead to one file, or would.
func Same(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	absA, errA := filepath.Abs(a)
	absB, errB := filepath.Abs(b)
	return errA == nil && errB == nil && absA == absB
}

// Repository returns the nearest git repository, at an absolute path or above it, or "".
func Repository(folder string) string {
	for {
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
			return folder
		}
		above := filepath.Dir(folder)
		if above == folder {
			return ""
		}
		folder = above
	}
}

// VendorFolder is the name of the folder beside a workflow with the recipes that it refers
// to.
const VendorFolder = "flow_vendor"

// Vendored returns the folder of the vendored recipe that a clean path is in, or "".
func Vendored(path string) string {
	const at = string(filepath.Separator) + VendorFolder + string(filepath.Separator)
	before, within, found := strings.Cut(path, at)
	if !found {
		return ""
	}
	name, _, _ := strings.Cut(within, string(filepath.Separator))
	return before + at + name
}

// Cause returns an error of package os or os/exec without the operation and the paths. It
// returns any other error as it is.
func Cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	var missing *exec.Error
	if errors.As(err, &missing) {
		return missing.Err
	}
	return err
}
