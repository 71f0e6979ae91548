package runner

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	folders "github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/steps"
)

// mostFileBytes bounds what the function file of an expression reads: the
// author's own choice.
const mostFileBytes = 64 << 20

// longestWait bounds how long it waits for a file that has nothing to read yet.
const longestWait = 3 * time.Second

// file returns the content of a file, named by a whole path.
func (in *instance) file(path string) (string, error) {
	path, err := in.reach(path)
	if err != nil {
		return "", err
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // who opens a pipe waits else
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: no regular file", path)
	}
	_ = file.SetReadDeadline(time.Now().Add(longestWait)) // /proc/kmsg calls itself regular, and has no end; most can't wait at all
	data, err := io.ReadAll(io.LimitReader(file, mostFileBytes+1))
	if err != nil {
		return "", err
	}
	if len(data) > mostFileBytes {
		return "", fmt.Errorf("%s: larger than 64 MiB", path)
	}
	return string(data), nil
}

// reach returns the path of a file that expressions may read. A used workflow has
// those of its own folder, of its caller's workspace and of the run's outputs, by
// where links lead: what it names is not its caller's word.
func (in *instance) reach(path string) (string, error) {
	if in.within == "" {
		return path, nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	for _, open := range []string{in.dir, in.within, outputsDir(in.run.Dir)} {
		at, err := filepath.EvalSymlinks(open)
		if open != "" && err == nil && folders.Holds(at, real) {
			return real, nil
		}
	}
	return "", fmt.Errorf("%s: a used workflow reads files of its own folder and of its caller's workspace only", path)
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
