package runner

import (
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/steps"
)

// mostFileBytes bounds what the function file of an expression reads: the
// author's own choice.
const mostFileBytes = 64 << 20

// file returns the content of a file of the workspace.
func (in *instance) file(path string) (string, error) {
	path = paths.In(in.workspace, path)
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
	data, err := io.ReadAll(io.LimitReader(file, mostFileBytes+1))
	if err != nil {
		return "", err
	}
	if len(data) > mostFileBytes {
		return "", fmt.Errorf("%s: larger than 64 MiB", path)
	}
	return string(data), nil
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
