package host

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// MostSourceBytes bounds every file that a workflow is made of: prompts and
// scripted models too. That of a workflow file itself is lower.
const MostSourceBytes = 16 << 20

// ReadSource reads a regular file of at most [MostSourceBytes]. The error does not
// repeat the path.
func ReadSource(path string) ([]byte, error) {
	if err := checkRegular(path); err != nil { // before it is opened: that of a pipe waits for a writer
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, paths.Cause(err)
	}
	defer file.Close()
	return ReadBounded(file)
}

// ReadBounded reads what there is, of at most [MostSourceBytes].
func ReadBounded(from io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, MostSourceBytes+1))
	if err != nil {
		return nil, paths.Cause(err)
	}
	if len(data) > MostSourceBytes {
		return nil, fmt.Errorf("it is larger than %d MiB", MostSourceBytes>>20)
	}
	return data, nil
}

// checkRegular refuses what is not there, and what may have no end: a folder, a
// pipe, a device.
func checkRegular(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return paths.Cause(err)
	case info.IsDir():
		return errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file")
	}
	return nil
}
