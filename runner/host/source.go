package host

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// MaxSourceBytes bounds every file of a workflow, also prompts and scripted models. A workflow
// file itself has a lower bound.
const MaxSourceBytes = 16 << 20

// ReadSource reads a regular file of at most [MaxSourceBytes]. The error does not
// repeat the path.
func ReadSource(path string) ([]byte, error) {
	file, err := paths.OpenRegular(path)
	if err != nil {
		return nil, paths.Cause(err)
	}
	defer file.Close()
	return ReadBounded(file)
}

// ReadBounded reads everything, up to [MaxSourceBytes]; more is an error.
func ReadBounded(from io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, MaxSourceBytes+1))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, errors.New("it has no end")
	}
	if err != nil {
		return nil, paths.Cause(err)
	}
	if len(data) > MaxSourceBytes {
		return nil, fmt.Errorf("it is larger than %d MiB", MaxSourceBytes>>20)
	}
	return data, nil
}

// checkRegular returns an error if a path is no regular file that can be read.
func checkRegular(path string) error {
	file, err := paths.OpenRegular(path)
	if err != nil {
		return paths.Cause(err)
	}
	return file.Close()
}
