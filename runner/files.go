package runner

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/bmatcuk/doublestar/v4"
)

// What the functions file and glob of an expression read is the author's own
// choice, and still bounded.
const (
	mostFileBytes = 64 << 20
	mostGlobPaths = 100_000
)

var errTooManyPaths = errors.New("more than 100,000 paths")

// file returns the content of a file of the workspace.
func (in *instance) file(path string) (string, error) {
	path = absolute(in.workspace, path)
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: no regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, mostFileBytes+1))
	if err != nil {
		return "", err
	}
	if len(data) > mostFileBytes {
		return "", fmt.Errorf("%s: larger than 64 MiB", path)
	}
	return string(data), nil
}

// glob returns the files of the workspace whose paths fit the pattern, sorted;
// ** crosses folders.
func (in *instance) glob(pattern string) ([]string, error) {
	paths := []string{}
	err := doublestar.GlobWalk(os.DirFS(in.workspace), pattern, func(path string, entry fs.DirEntry) error {
		if len(paths) == mostGlobPaths {
			return errTooManyPaths
		}
		paths = append(paths, path)
		return nil
	}, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	if err != nil {
		return nil, fmt.Errorf("glob %q: %w", pattern, err)
	}
	slices.Sort(paths)
	return paths, nil
}

// checkFolder reports why a workspace can't be one.
func checkFolder(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s: no folder", path)
	}
	if err != nil {
		return &steps.Error{Kind: steps.KindInvalidInput, Message: fmt.Sprintf("workspace: %v", err), Err: err}
	}
	return nil
}

// absolute returns path as it stands in folder.
func absolute(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}
