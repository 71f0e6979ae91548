package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/a-seed-11b9befa/flow/providers/script"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A recording is the script that a run's models are written to.
type recording struct {
	*script.Recorder
	file *os.File
	mask *tools.Mask
	ran  bool // there is something to write
}

// open opens the file, for what a run has cost is not to be lost because it can't
// be written in the end. What is in the file stays there until then.
func (r *recording) open(path string) (err error) {
	if r.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600); err != nil {
		return usage("", "--record: %v", err)
	}
	return nil
}

// close writes what was recorded, if anything ran.
func (r *recording) close() error {
	if !r.ran {
		return r.file.Close()
	}
	if err := r.file.Truncate(0); err != nil && !errors.Is(err, syscall.EINVAL) {
		r.file.Close()
		return err
	}
	masked := r.mask.Writer(r.file)
	_, err := r.WriteTo(masked)
	if err := errors.Join(err, masked.Close(), r.file.Close()); err != nil {
		return fmt.Errorf("--record: %w", err)
	}
	return nil
}
