package main

import (
	"errors"
	"os"

	"github.com/a-seed-11b9befa/flow/providers/script"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A recording is the script that a run's models are written to.
type recording struct {
	*script.Recorder
	file *os.File
	mask *tools.Mask
}

// newRecording creates the file, for what a run has cost is not to be lost
// because it can't be written in the end.
func newRecording(path string, mask *tools.Mask) (*recording, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, usage("", "--record: %v", err)
	}
	return &recording{Recorder: script.NewRecorder(), file: file, mask: mask}, nil
}

// close writes what was recorded.
func (r *recording) close() error {
	masked := r.mask.Writer(r.file)
	_, err := r.WriteTo(masked)
	return errors.Join(err, masked.Close(), r.file.Close())
}
