// Package patherror says why a file can't be used where its path is said already.
package patherror

import (
	"errors"
	"io/fs"
)

// Cause is the cause of an error about a path, without the operation and the path;
// any other error as it is.
func Cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
